#include "go_asm.h"
#include "textflag.h"

// What counters reads, field by field, in the registers that it has: SI stands
// at the next byte of the line, DI at the counts, R13 at the keys.
#define KEY(I) \
	VMOVDQU (SI), Y0; \
	VPXOR   (I*64)(R13), Y0, Y0; \
	VPAND   (I*64+32)(R13), Y0, Y0; \
	VPTEST  Y0, Y0

// NUMBER reads digits into AX and leaves their number in DX.
#define NUMBER \
	MOVQ   (SI), AX; \
	XORQ   R14, AX; \
	LEAQ   (AX)(R8*1), BX; \
	ORQ    AX, BX; \
	ANDQ   R9, BX; \
	JZ     fail; \
	TZCNTQ BX, CX; \
	SUBL   $7, CX; \
	JZ     fail; \
	MOVL   CX, DX; \
	SHRL   $3, DX; \
	ADDQ   DX, SI; \
	NEGL   CX; \
	SHLXQ  CX, AX, AX; \
	MOVQ   AX, BX; \
	SHRQ   $8, BX; \
	LEAQ   (AX)(AX*4), AX; \
	LEAQ   (BX)(AX*2), AX; \
	MOVQ   AX, BX; \
	SHRQ   $16, BX; \
	ANDQ   R10, AX; \
	ANDQ   R10, BX; \
	IMULQ  R11, AX; \
	IMULQ  R12, BX; \
	ADDQ   BX, AX; \
	SHRQ   $32, AX

// COMMA passes over ", " if something stands behind it.
#define COMMA(ELSE) \
	CMPW (SI), $0x202c; \
	JNE  ELSE; \
	CMPB 2(SI), $0x20; \
	JCS  fail; \
	ADDQ $2, SI

#define COUNT(I, SIZE, FIELD, ELSE) \
	ADDQ $SIZE, SI; \
	NUMBER; \
	MOVL AX, FIELD(DI); \
	COMMA(ELSE)

#define DECIMAL(SIZE, FIELD) \
	ADDQ $SIZE, SI; \
	NUMBER; \
	MOVL AX, (FIELD+fixed_whole)(DI); \
	CMPB (SI), $0x2e; \
	JNE  fail; \
	INCQ SI; \
	NUMBER; \
	CMPL DX, $4; \
	JHI  fail; \
	MOVL AX, (FIELD+fixed_frac)(DI); \
	MOVL DX, (FIELD+fixed_width)(DI); \
	COMMA(end)

// func countsAVX2(m *byte, c *counts, keys *[10][64]byte) (size int)
TEXT ·countsAVX2(SB), NOSPLIT, $0-32
	MOVQ m+0(FP), SI
	MOVQ c+8(FP), DI
	MOVQ keys+16(FP), R13
	MOVQ $0x7676767676767676, R8
	MOVQ $0x8080808080808080, R9
	MOVQ $0x3030303030303030, R14
	MOVQ $0x000000ff000000ff, R10
	MOVQ $0x000f424000000064, R11
	MOVQ $0x0000271000000001, R12

	KEY(0)
	JNE  fail
	COUNT(0, 10, counts_newSeq, fail)
	KEY(1)
	JNE  fail
	COUNT(1, 12, counts_newToken, fail)
	KEY(2)
	JNE  fail
	COUNT(2, 15, counts_cached, fail)
	KEY(3)
	JNE  running
	DECIMAL(13, counts_usage)

running:
	KEY(4)
	JNE queue
	COUNT(4, 14, counts_running, end)

queue:
	KEY(5)
	JNE pending
	COUNT(5, 12, counts_queue, end)

pending:
	KEY(6)
	JNE graph
	COUNT(6, 16, counts_pending, end)

graph:
	KEY(7)
	JNE  off
	ADDQ $16, SI
	MOVL $1, counts_graph(DI)
	COMMA(end)
	JMP  throughput

off:
	KEY(8)
	JNE  throughput
	ADDQ $17, SI
	MOVL $0, counts_graph(DI)
	COMMA(end)

throughput:
	KEY(9)
	JNE fail
	DECIMAL(28, counts_throughput)

fail:
	VZEROUPPER
	MOVQ $0, size+24(FP)
	RET

end:
	CMPB (SI), $10
	JEQ  ended
	CMPW (SI), $0x0a0d
	JNE  fail

ended:
	VZEROUPPER
	SUBQ m+0(FP), SI
	MOVQ SI, size+24(FP)
	RET
