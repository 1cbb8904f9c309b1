#include "textflag.h"

// func findAVX2(text *byte, words int, ends, strays *uint32, follows uint64) (nEnds, nStrays int)
//
// Each turn takes 64 bytes: one bit each for "is a control character" (AX) and
// "is an opening bracket" (R10). The first two ends are written whether they are
// there or not, since a line is seldom shorter than 21 bytes; a branch on their
// number would be guessed wrong half of the time.
TEXT ·findAVX2(SB), NOSPLIT, $0-56
	MOVQ text+0(FP), SI
	MOVQ words+8(FP), CX
	MOVQ ends+16(FP), DI
	MOVQ strays+24(FP), R8
	MOVQ follows+32(FP), R9
	XORQ BX, BX

	MOVQ         $0x1f1f1f1f1f1f1f1f, AX
	MOVQ         AX, X15
	VPBROADCASTQ X15, Y15
	MOVQ         $0x5b5b5b5b5b5b5b5b, AX
	MOVQ         AX, X14
	VPBROADCASTQ X14, Y14
	TESTQ        CX, CX
	JZ           done

turn:
	PREFETCHT0 4096(SI)
	VMOVDQU    (SI), Y0
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

	// A bracket behind a control character opens a line.
	LEAQ  (R9)(AX*2), R12
	MOVQ  AX, R9
	SHRQ  $63, R9
	ANDNQ R10, R12, R12

	POPCNTQ AX, R13
	TZCNTQ  AX, R14
	BLSRQ   AX, AX
	ADDL    BX, R14
	MOVL    R14, (DI)
	TZCNTQ  AX, R14
	BLSRQ   AX, AX
	ADDL    BX, R14
	MOVL    R14, 4(DI)
	CMPQ    R13, $2
	JHI     more

taken:
	LEAQ  (DI)(R13*4), DI
	TESTQ R12, R12
	JNZ   stray

next:
	ADDQ $64, SI
	ADDL $64, BX
	DECQ CX
	JNZ  turn

done:
	VZEROUPPER
	SUBQ ends+16(FP), DI
	SHRQ $2, DI
	MOVQ DI, nEnds+40(FP)
	SUBQ strays+24(FP), R8
	SHRQ $2, R8
	MOVQ R8, nStrays+48(FP)
	RET

more:
	LEAQ 8(DI), R11

third:
	TZCNTQ AX, R14
	BLSRQ  AX, AX
	ADDL   BX, R14
	MOVL   R14, (R11)
	ADDQ   $4, R11
	TESTQ  AX, AX
	JNZ    third
	JMP    taken

stray:
	TZCNTQ R12, R14
	BLSRQ  R12, R12
	ADDL   BX, R14
	MOVL   R14, (R8)
	ADDQ   $4, R8
	TESTQ  R12, R12
	JNZ    stray
	JMP    next
