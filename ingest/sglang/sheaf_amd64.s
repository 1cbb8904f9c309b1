#include "go_asm.h"
#include "textflag.h"

// What is done here for lines of the usual shape, sheaf.go and skimline.go do
// for all: these stop at the first line that they do not know.

#define SHAPE(KIND) (sheaf_usual+usual_shapes+KIND*shape__size)

#define ENTER \
	MOVQ x+0(FP), R13; \
	MOVQ text+8(FP), SI; \
	MOVQ ends+16(FP), DI; \
	MOVQ start+24(FP), R9; \
	MOVQ (sheaf_usual+usual_bracket)(R13), R14; \
	LEAQ sheaf_places(R13), R8; \
	XORQ CX, CX; \
	XORQ R10, R10; \
	XORQ R11, R11; \
	XORQ R12, R12

// SORT takes line after line. LOAD loads what a line opens with; OPENS sets a
// register to 1 if that is a shape, to 0 if not.
#define SORT(LOAD, OPENS) \
turn: \
	CMPQ    CX, most+32(FP); \
	JGE     done; \
	CMPQ    R9, last+40(FP); \
	JGT     done; \
	MOVL    (DI)(CX*4), DX; \
	CMPQ    DX, stray+48(FP); \
	JGT     done; \
	CMPB    (SI)(DX*1), $10; \
	JNE     done; \
	LOAD; \
	MOVB    CX, (sheaf_decodes+kindLines_k)(R13)(R10*1); \
	MOVB    CX, (sheaf_accesses+kindLines_k)(R13)(R11*1); \
	MOVB    CX, (sheaf_prefills+kindLines_k)(R13)(R12*1); \
	MOVB    R11, sheaf_before(R13)(R12*1); \
	OPENS(0, Z10, K1, AX); \
	ADDQ    AX, R10; \
	OPENS(1, Z11, K2, BX); \
	ADDQ    BX, R11; \
	ORL     BX, AX; \
	OPENS(2, Z12, K3, BX); \
	ADDQ    BX, R12; \
	ORL     BX, AX; \
	JZ      other; \
filed: \
	MOVL    R9, place_start(R8); \
	LEAQ    (R9)(R14*1), AX; \
	MOVL    AX, place_from(R8); \
	MOVL    DX, place_to(R8); \
	ADDQ    $place__size, R8; \
	LEAQ    1(DX), R9; \
	INCQ    CX; \
	JMP     turn; \
other: \
	OPENS(3, Z13, K4, AX); \
	TESTL   AX, AX; \
	JZ      done; \
	LEAQ    (SI)(R9*1), AX; \
	MOVBLZX (AX)(R14*1), AX; \
	LEAQ    ·speaks(SB), BX; \
	CMPB    (BX)(AX*1), $0; \
	JEQ     filed; \
done: \
	VZEROUPPER; \
	MOVL    R9, place_start(R8); \
	MOVQ    R10, (sheaf_decodes+kindLines_n)(R13); \
	MOVQ    R11, (sheaf_accesses+kindLines_n)(R13); \
	MOVQ    R12, (sheaf_prefills+kindLines_n)(R13); \
	MOVQ    CX, n+56(FP); \
	RET

#define LOAD2 \
	VMOVDQU (SI)(R9*1), Y0; \
	VMOVDQU 32(SI)(R9*1), Y1

#define OPENS2(KIND, Z, K, R) \
	VPXOR  (SHAPE(KIND)+shape_text)(R13), Y0, Y2; \
	VPXOR  (SHAPE(KIND)+shape_text+32)(R13), Y1, Y3; \
	VPAND  (SHAPE(KIND)+shape_mask)(R13), Y2, Y2; \
	VPAND  (SHAPE(KIND)+shape_mask+32)(R13), Y3, Y3; \
	VPOR   Y2, Y3, Y2; \
	XORL   R, R; \
	VPTEST Y2, Y2; \
	SETEQ  R

// func sortAVX2(x *sheaf, text *byte, ends *uint32, start, most, last, stray int) (n int)
TEXT ·sortAVX2(SB), NOSPLIT, $0-64
	ENTER
	SORT(LOAD2, OPENS2)

#define LOAD512 VMOVDQU64 (SI)(R9*1), Z0

#define SHAPE512(KIND, Z, K) \
	VMOVDQU64 (SHAPE(KIND)+shape_mask)(R13), Z; \
	VPMOVB2M  Z, K; \
	VMOVDQU64 (SHAPE(KIND)+shape_text)(R13), Z

#define OPENS512(KIND, Z, K, R) \
	VPCMPUB  $4, Z, Z0, K, K5; \
	XORL     R, R; \
	KORTESTQ K5, K5; \
	SETEQ    R

// func sortAVX512(x *sheaf, text *byte, ends *uint32, start, most, last, stray int) (n int)
TEXT ·sortAVX512(SB), NOSPLIT, $0-64
	ENTER
	SHAPE512(0, Z10, K1)
	SHAPE512(1, Z11, K2)
	SHAPE512(2, Z12, K3)
	SHAPE512(3, Z13, K4)
	SORT(LOAD512, OPENS512)

#define LINE(LIST, I, FROM, TO) \
	MOVBLZX LIST(R13)(I*1), AX; \
	LEAQ    (AX)(AX*2), AX; \
	MOVL    (sheaf_places+place_from)(R13)(AX*4), FROM; \
	MOVL    (sheaf_places+place_to)(R13)(AX*4), TO

// func decodesAVX2(x *sheaf, text *byte, i int) (next int)
TEXT ·decodesAVX2(SB), NOSPLIT, $0-32
	MOVQ  x+0(FP), R13
	MOVQ  text+8(FP), SI
	MOVQ  i+16(FP), R12
	MOVL  sheaf_running(R13), R10
	MOVL  sheaf_queue(R13), R11
	MOVQ  $0x7676767676767676, R8
	MOVQ  $0x8080808080808080, R9
	MOVQ  $0x3030303030303030, R14

turn:
	CMPQ R12, (sheaf_decodes+kindLines_n)(R13)
	JGE  done
	LINE((sheaf_decodes+kindLines_k), R12, BX, DX)

	// #running-req: the digits behind the opening, as number8 reads them.
	MOVQ   const_decodeHeadLen(SI)(BX*1), AX
	XORQ   R14, AX
	LEAQ   (AX)(R8*1), BX
	ORQ    AX, BX
	ANDQ   R9, BX
	JZ     done
	TZCNTQ BX, CX
	SUBL   $7, CX
	JZ     done
	SHRXQ  CX, AX, BX
	CMPB   BX, $0x1c
	JNE    done
	NEGL   CX
	SHLXQ  CX, AX, AX
	MOVQ   AX, BX
	SHRQ   $8, BX
	LEAQ   (AX)(AX*4), AX
	LEAQ   (BX)(AX*2), AX
	MOVQ   AX, BX
	SHRQ   $16, BX
	MOVQ   $0x000000ff000000ff, CX
	ANDQ   CX, AX
	ANDQ   CX, BX
	MOVQ   $0x000f424000000064, CX
	IMULQ  CX, AX
	MOVQ   $0x0000271000000001, CX
	IMULQ  CX, BX
	ADDQ   BX, AX
	SHRQ   $32, AX

	// #queue-req of one digit at the end.
	MOVQ    $const_queueWord0, CX
	CMPQ    CX, -13(SI)(DX*1)
	JNE     done
	MOVQ    $const_queueWord4, CX
	CMPQ    CX, -9(SI)(DX*1)
	JNE     done
	MOVBLZX -1(SI)(DX*1), BX
	SUBL    $0x30, BX
	CMPL    BX, $9
	JHI     done

	CMPL    AX, R10
	CMOVLGT AX, R10
	CMPL    BX, R11
	CMOVLGT BX, R11
	INCQ    R12
	JMP     turn

done:
	MOVL R10, sheaf_running(R13)
	MOVL R11, sheaf_queue(R13)
	MOVQ R12, next+24(FP)
	RET

// func accessesAVX2(x *sheaf, text *byte, i int) (next int)
TEXT ·accessesAVX2(SB), NOSPLIT, $0-32
	MOVQ    x+0(FP), R13
	MOVQ    text+8(FP), SI
	MOVQ    i+16(FP), R12
	MOVQ    (sheaf_usual+usual_port)(R13), R10
	MOVQ    (sheaf_usual+usual_tail)(R13), R11
	VMOVDQU (sheaf_usual+usual_tailText)(R13), Y8
	VMOVDQU (sheaf_usual+usual_tailText+32)(R13), Y9
	MOVQ    $0x7676767676767676, R8
	MOVQ    $0x8080808080808080, R9
	MOVQ    $0x3030303030303030, R14

turn:
	CMPQ    R12, (sheaf_accesses+kindLines_n)(R13)
	JGE     done
	LINE((sheaf_accesses+kindLines_k), R12, BX, DX)
	ADDQ    SI, BX
	ADDQ    R10, BX
	ADDQ    SI, DX
	VPXOR   -32(DX), Y9, Y1
	SUBQ    R11, DX
	SUBQ    BX, DX
	JLT     done
	VPXOR   (BX)(DX*1), Y8, Y0
	VPOR    Y0, Y1, Y0
	VPTEST  Y0, Y0
	JNE     done

	// DX is the width of the port, which has to be as many digits.
	MOVQ    (BX), AX
	XORQ    R14, AX
	LEAQ    (AX)(R8*1), CX
	ORQ     AX, CX
	ANDQ    R9, CX
	TZCNTQ  CX, CX
	SHRL    $3, CX
	CMPQ    CX, DX
	JLT     done
	INCQ    R12
	JMP     turn

done:
	VZEROUPPER
	MOVQ R12, next+24(FP)
	RET
