#include "textflag.h"

// Each turn takes 64 bytes: one bit each for "is a control character" (AX) and
// "is an opening bracket" (R10). FILE files them; the first two ends are written
// whether they are there or not, since a line is seldom shorter than 21 bytes
// and a branch on their number would be guessed wrong half of the time. A
// bracket behind a control character opens a line.
//
// SI stands in the text, BX is the offset of that, CX counts turns; DI and R8 are
// where the next end and the next stray bracket go, R9 is 1 if the byte in front
// was a control character.

#define ENTER \
	MOVQ text+0(FP), SI; \
	MOVQ words+8(FP), CX; \
	MOVQ ends+16(FP), DI; \
	MOVQ strays+24(FP), R8; \
	MOVQ follows+32(FP), R9; \
	XORQ BX, BX

#define FILE \
	LEAQ    (R9)(AX*2), R12; \
	MOVQ    AX, R9; \
	SHRQ    $63, R9; \
	ANDNQ   R10, R12, R12; \
	POPCNTQ AX, R13; \
	TZCNTQ  AX, R14; \
	BLSRQ   AX, AX; \
	ADDL    BX, R14; \
	MOVL    R14, (DI); \
	TZCNTQ  AX, R14; \
	ADDL    BX, R14; \
	MOVL    R14, 4(DI); \
	CMPQ    R13, $2; \
	JHI     more; \
filed: \
	LEAQ    (DI)(R13*4), DI; \
	TESTQ   R12, R12; \
	JNZ     stray; \
next: \
	ADDQ    $64, SI; \
	ADDL    $64, BX; \
	DECQ    CX; \
	JNZ     turn; \
	VZEROUPPER; \
	SUBQ    ends+16(FP), DI; \
	SHRQ    $2, DI; \
	MOVQ    DI, nEnds+40(FP); \
	SUBQ    strays+24(FP), R8; \
	SHRQ    $2, R8; \
	MOVQ    R8, nStrays+48(FP); \
	RET; \
more: \
	LEAQ    4(DI), R11; \
third: \
	BLSRQ   AX, AX; \
	TZCNTQ  AX, R14; \
	ADDL    BX, R14; \
	ADDQ    $4, R11; \
	MOVL    R14, (R11); \
	LEAQ    -1(AX), R14; \
	TESTQ   AX, R14; \
	JNZ     third; \
	JMP     filed; \
stray: \
	TZCNTQ  R12, R14; \
	BLSRQ   R12, R12; \
	ADDL    BX, R14; \
	MOVL    R14, (R8); \
	ADDQ    $4, R8; \
	TESTQ   R12, R12; \
	JNZ     stray; \
	JMP     next

// What is fetched ahead is found by the processor itself only up to the end of a
// page.
#define AHEAD PREFETCHT0 4096(SI)

// func findAVX2(text *byte, words int, ends, strays *uint32, follows uint64) (nEnds, nStrays int)
TEXT ·findAVX2(SB), NOSPLIT, $0-56
	ENTER
	MOVQ         $0x1f1f1f1f1f1f1f1f, AX
	MOVQ         AX, X15
	VPBROADCASTQ X15, Y15
	MOVQ         $0x5b5b5b5b5b5b5b5b, AX
	MOVQ         AX, X14
	VPBROADCASTQ X14, Y14

turn:
	AHEAD
	VMOVDQU   (SI), Y0
	VMOVDQU   32(SI), Y1
	VPMINUB   Y15, Y0, Y2
	VPMINUB   Y15, Y1, Y3
	VPCMPEQB  Y0, Y2, Y2
	VPCMPEQB  Y1, Y3, Y3
	VPCMPEQB  Y14, Y0, Y4
	VPCMPEQB  Y14, Y1, Y5
	VPMOVMSKB Y2, AX
	VPMOVMSKB Y3, DX
	VPMOVMSKB Y4, R10
	VPMOVMSKB Y5, R11
	SHLQ      $32, DX
	SHLQ      $32, R11
	ORQ       DX, AX
	ORQ       R11, R10
	FILE

// func findAVX512(text *byte, words int, ends, strays *uint32, follows uint64) (nEnds, nStrays int)
TEXT ·findAVX512(SB), NOSPLIT, $0-56
	ENTER
	MOVL         $0x20, AX
	VPBROADCASTB AX, Z15
	MOVL         $0x5b, AX
	VPBROADCASTB AX, Z14

turn:
	AHEAD
	VMOVDQU64 (SI), Z0
	VPCMPUB   $1, Z15, Z0, K1
	VPCMPEQB  Z14, Z0, K2
	KMOVQ     K1, AX
	KMOVQ     K2, R10
	FILE
