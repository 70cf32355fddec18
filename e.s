	.file	"e"
	.text
	.p2align	4                               # -- Begin function e_main
	.type	e_main,@function
e_main:                                 # @e_main
.Lfunc_begin0:
# %bb.0:
	jmp	k0                              # TAILCALL
.Lfunc_end0:
	.size	e_main, .Lfunc_end0-e_main
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin0
	.byte	0
	.text
                                        # -- End function
	.p2align	4                               # -- Begin function k0
	.type	k0,@function
k0:                                     # @k0
.Lfunc_begin1:
# %bb.0:
	subq	$616, %rsp                      # imm = 0x268
	vmovups	(%rdi), %ymm2
	vmovups	32(%rdi), %ymm10
	vmovups	(%rsi), %ymm6
	vmovups	(%rdx), %ymm13
	vmulps	%ymm13, %ymm10, %ymm0
	vfmsub231ps	%ymm6, %ymm2, %ymm0     # ymm0 = (ymm2 * ymm6) - ymm0
	vmovups	%ymm0, 576(%rsp)                # 32-byte Spill
	vmovups	64(%rdi), %ymm11
	vmovups	96(%rdi), %ymm12
	vmovups	32(%rsi), %ymm4
	vmovups	32(%rdx), %ymm9
	vmulps	%ymm9, %ymm12, %ymm0
	vfmsub231ps	%ymm4, %ymm11, %ymm0    # ymm0 = (ymm11 * ymm4) - ymm0
	vmovups	%ymm0, 544(%rsp)                # 32-byte Spill
	vmovups	128(%rdi), %ymm7
	vmovups	160(%rdi), %ymm8
	vmovups	64(%rsi), %ymm3
	vmovups	64(%rdx), %ymm5
	vmovups	576(%rdi), %ymm1
	vmovups	608(%rdi), %ymm0
	vmulps	%ymm2, %ymm13, %ymm2
	vfmadd231ps	%ymm10, %ymm6, %ymm2    # ymm2 = (ymm6 * ymm10) + ymm2
	vmovups	%ymm2, 512(%rsp)                # 32-byte Spill
	vmulps	%ymm0, %ymm13, %ymm2
	vfmsub231ps	%ymm1, %ymm6, %ymm2     # ymm2 = (ymm6 * ymm1) - ymm2
	vmovups	%ymm2, 480(%rsp)                # 32-byte Spill
	vmulps	%ymm1, %ymm13, %ymm1
	vmulps	%ymm5, %ymm8, %ymm2
	vfmsub231ps	%ymm3, %ymm7, %ymm2     # ymm2 = (ymm7 * ymm3) - ymm2
	vmovups	%ymm2, 288(%rsp)                # 32-byte Spill
	vfmadd231ps	%ymm6, %ymm0, %ymm1     # ymm1 = (ymm0 * ymm6) + ymm1
	vmovups	%ymm1, 448(%rsp)                # 32-byte Spill
	vmovups	640(%rdi), %ymm0
	vmovups	672(%rdi), %ymm1
	vmulps	%ymm9, %ymm11, %ymm2
	vfmadd231ps	%ymm12, %ymm4, %ymm2    # ymm2 = (ymm4 * ymm12) + ymm2
	vmovups	%ymm2, 384(%rsp)                # 32-byte Spill
	vmulps	%ymm1, %ymm9, %ymm2
	vfmsub231ps	%ymm0, %ymm4, %ymm2     # ymm2 = (ymm4 * ymm0) - ymm2
	vmovups	%ymm2, 256(%rsp)                # 32-byte Spill
	vmulps	%ymm0, %ymm9, %ymm2
	vmovups	192(%rdi), %ymm0
	vfmadd231ps	%ymm4, %ymm1, %ymm2     # ymm2 = (ymm1 * ymm4) + ymm2
	vmovups	%ymm2, 416(%rsp)                # 32-byte Spill
	vmovups	704(%rdi), %ymm1
	vmovups	736(%rdi), %ymm2
	vmulps	%ymm5, %ymm7, %ymm4
	vfmadd231ps	%ymm8, %ymm3, %ymm4     # ymm4 = (ymm3 * ymm8) + ymm4
	vmovups	%ymm4, 320(%rsp)                # 32-byte Spill
	vmulps	%ymm2, %ymm5, %ymm4
	vfmsub231ps	%ymm1, %ymm3, %ymm4     # ymm4 = (ymm3 * ymm1) - ymm4
	vmovups	%ymm4, 192(%rsp)                # 32-byte Spill
	vmulps	%ymm1, %ymm5, %ymm4
	vmovups	224(%rdi), %ymm1
	vfmadd231ps	%ymm3, %ymm2, %ymm4     # ymm4 = (ymm2 * ymm3) + ymm4
	vmovups	%ymm4, 352(%rsp)                # 32-byte Spill
	vmovups	96(%rsi), %ymm2
	vmovups	96(%rdx), %ymm3
	vmulps	%ymm3, %ymm1, %ymm4
	vfmsub231ps	%ymm2, %ymm0, %ymm4     # ymm4 = (ymm0 * ymm2) - ymm4
	vmovups	%ymm4, 32(%rsp)                 # 32-byte Spill
	vmulps	%ymm3, %ymm0, %ymm0
	vfmadd231ps	%ymm1, %ymm2, %ymm0     # ymm0 = (ymm2 * ymm1) + ymm0
	vmovups	%ymm0, 160(%rsp)                # 32-byte Spill
	vmovups	768(%rdi), %ymm0
	vmovups	800(%rdi), %ymm1
	vmulps	%ymm1, %ymm3, %ymm4
	vfmsub231ps	%ymm0, %ymm2, %ymm4     # ymm4 = (ymm2 * ymm0) - ymm4
	vmovups	%ymm4, 128(%rsp)                # 32-byte Spill
	vmulps	%ymm0, %ymm3, %ymm0
	vfmadd231ps	%ymm2, %ymm1, %ymm0     # ymm0 = (ymm1 * ymm2) + ymm0
	vmovups	%ymm0, 224(%rsp)                # 32-byte Spill
	vmovups	256(%rdi), %ymm0
	vmovups	288(%rdi), %ymm1
	vmovups	128(%rsi), %ymm2
	vmovups	128(%rdx), %ymm3
	vmulps	%ymm3, %ymm1, %ymm4
	vfmsub231ps	%ymm2, %ymm0, %ymm4     # ymm4 = (ymm0 * ymm2) - ymm4
	vmovups	%ymm4, -96(%rsp)                # 32-byte Spill
	vmulps	%ymm3, %ymm0, %ymm0
	vfmadd231ps	%ymm1, %ymm2, %ymm0     # ymm0 = (ymm2 * ymm1) + ymm0
	vmovups	%ymm0, 64(%rsp)                 # 32-byte Spill
	vmovups	832(%rdi), %ymm0
	vmovups	864(%rdi), %ymm1
	vmulps	%ymm1, %ymm3, %ymm4
	vfmsub231ps	%ymm0, %ymm2, %ymm4     # ymm4 = (ymm2 * ymm0) - ymm4
	vmovups	%ymm4, (%rsp)                   # 32-byte Spill
	vmulps	%ymm0, %ymm3, %ymm0
	vfmadd231ps	%ymm2, %ymm1, %ymm0     # ymm0 = (ymm1 * ymm2) + ymm0
	vmovups	%ymm0, 96(%rsp)                 # 32-byte Spill
	vmovups	320(%rdi), %ymm0
	vmovups	352(%rdi), %ymm1
	vmovups	160(%rsi), %ymm2
	vmovups	160(%rdx), %ymm3
	vmulps	%ymm3, %ymm1, %ymm13
	vfmsub231ps	%ymm2, %ymm0, %ymm13    # ymm13 = (ymm0 * ymm2) - ymm13
	vmulps	%ymm3, %ymm0, %ymm0
	vfmadd231ps	%ymm1, %ymm2, %ymm0     # ymm0 = (ymm2 * ymm1) + ymm0
	vmovups	%ymm0, -64(%rsp)                # 32-byte Spill
	vmovups	896(%rdi), %ymm0
	vmovups	928(%rdi), %ymm1
	vmulps	%ymm1, %ymm3, %ymm4
	vfmsub231ps	%ymm0, %ymm2, %ymm4     # ymm4 = (ymm2 * ymm0) - ymm4
	vmovups	%ymm4, -128(%rsp)               # 32-byte Spill
	vmulps	%ymm0, %ymm3, %ymm0
	vfmadd231ps	%ymm2, %ymm1, %ymm0     # ymm0 = (ymm1 * ymm2) + ymm0
	vmovups	%ymm0, -32(%rsp)                # 32-byte Spill
	vmovups	384(%rdi), %ymm0
	vmovups	416(%rdi), %ymm1
	vmovups	192(%rsi), %ymm2
	vmovups	192(%rdx), %ymm3
	vmulps	%ymm3, %ymm1, %ymm9
	vfmsub231ps	%ymm2, %ymm0, %ymm9     # ymm9 = (ymm0 * ymm2) - ymm9
	vmulps	%ymm3, %ymm0, %ymm14
	vfmadd231ps	%ymm1, %ymm2, %ymm14    # ymm14 = (ymm2 * ymm1) + ymm14
	vmovups	960(%rdi), %ymm0
	vmovups	992(%rdi), %ymm1
	vmulps	%ymm1, %ymm3, %ymm11
	vfmsub231ps	%ymm0, %ymm2, %ymm11    # ymm11 = (ymm2 * ymm0) - ymm11
	vmulps	%ymm0, %ymm3, %ymm15
	vfmadd231ps	%ymm2, %ymm1, %ymm15    # ymm15 = (ymm1 * ymm2) + ymm15
	vmovups	448(%rdi), %ymm1
	vmovups	480(%rdi), %ymm2
	vmovups	224(%rsi), %ymm3
	vmovups	224(%rdx), %ymm7
	vmulps	%ymm7, %ymm2, %ymm6
	vfmsub231ps	%ymm3, %ymm1, %ymm6     # ymm6 = (ymm1 * ymm3) - ymm6
	vmulps	%ymm7, %ymm1, %ymm10
	vfmadd231ps	%ymm2, %ymm3, %ymm10    # ymm10 = (ymm3 * ymm2) + ymm10
	vmovups	1024(%rdi), %ymm1
	vmovups	1056(%rdi), %ymm0
	vmulps	%ymm0, %ymm7, %ymm8
	vfmsub231ps	%ymm1, %ymm3, %ymm8     # ymm8 = (ymm3 * ymm1) - ymm8
	vmulps	%ymm1, %ymm7, %ymm12
	vfmadd231ps	%ymm3, %ymm0, %ymm12    # ymm12 = (ymm0 * ymm3) + ymm12
	vmovups	512(%rdi), %ymm2
	vmovups	544(%rdi), %ymm3
	vmovups	256(%rsi), %ymm1
	vmovups	256(%rdx), %ymm0
	vmulps	%ymm0, %ymm3, %ymm4
	vfmsub231ps	%ymm1, %ymm2, %ymm4     # ymm4 = (ymm2 * ymm1) - ymm4
	vmulps	%ymm0, %ymm2, %ymm7
	vfmadd231ps	%ymm3, %ymm1, %ymm7     # ymm7 = (ymm1 * ymm3) + ymm7
	vmovups	1088(%rdi), %ymm3
	vmovups	1120(%rdi), %ymm2
	vmulps	%ymm2, %ymm0, %ymm5
	vfmsub231ps	%ymm3, %ymm1, %ymm5     # ymm5 = (ymm1 * ymm3) - ymm5
	vmulps	%ymm3, %ymm0, %ymm3
	vfmadd231ps	%ymm1, %ymm2, %ymm3     # ymm3 = (ymm2 * ymm1) + ymm3
	vmovups	576(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, (%rcx)
	vmovups	544(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 64(%rcx)
	vmovups	288(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 128(%rcx)
	vmovups	32(%rsp), %ymm0                 # 32-byte Reload
	vmovups	%ymm0, 192(%rcx)
	vmovups	-96(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 256(%rcx)
	vmovups	%ymm13, 320(%rcx)
	vmovups	%ymm9, 384(%rcx)
	vmovups	%ymm6, 448(%rcx)
	vmovups	%ymm4, 512(%rcx)
	vmovups	480(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 576(%rcx)
	vmovups	256(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 640(%rcx)
	vmovups	192(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 704(%rcx)
	vmovups	128(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 768(%rcx)
	vmovups	(%rsp), %ymm0                   # 32-byte Reload
	vmovups	%ymm0, 832(%rcx)
	vmovups	-128(%rsp), %ymm0               # 32-byte Reload
	vmovups	%ymm0, 896(%rcx)
	vmovups	%ymm11, 960(%rcx)
	vmovups	%ymm8, 1024(%rcx)
	vmovups	%ymm5, 1088(%rcx)
	vmovups	512(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 32(%rcx)
	vmovups	384(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 96(%rcx)
	vmovups	320(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 160(%rcx)
	vmovups	160(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 224(%rcx)
	vmovups	64(%rsp), %ymm0                 # 32-byte Reload
	vmovups	%ymm0, 288(%rcx)
	vmovups	-64(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 352(%rcx)
	vmovups	%ymm14, 416(%rcx)
	vmovups	%ymm10, 480(%rcx)
	vmovups	%ymm7, 544(%rcx)
	vmovups	448(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 608(%rcx)
	vmovups	416(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 672(%rcx)
	vmovups	352(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 736(%rcx)
	vmovups	224(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 800(%rcx)
	vmovups	96(%rsp), %ymm0                 # 32-byte Reload
	vmovups	%ymm0, 864(%rcx)
	vmovups	-32(%rsp), %ymm0                # 32-byte Reload
	vmovups	%ymm0, 928(%rcx)
	vmovups	%ymm15, 992(%rcx)
	vmovups	%ymm12, 1056(%rcx)
	vmovups	%ymm3, 1120(%rcx)
	addq	$616, %rsp                      # imm = 0x268
	vzeroupper
	retq
.Lfunc_end1:
	.size	k0, .Lfunc_end1-k0
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin1
	.ascii	"\350\004"
	.text
                                        # -- End function
	.p2align	4                               # -- Begin function e_choose
	.type	e_choose,@function
e_choose:                               # @e_choose
.Lfunc_begin2:
# %bb.0:                                # %entry
	pushq	%rbx
	testq	%rdi, %rdi
	je	.LBB2_1
# %bb.9:                                # %named
	leaq	.Ltext.2(%rip), %rsi
	callq	strcmp@PLT
	movl	%eax, %ecx
	movq	$-1, %rax
	testl	%ecx, %ecx
	je	.LBB2_10
# %bb.19:                               # %common.ret
	popq	%rbx
	retq
.LBB2_1:                                # %any
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	testl	%eax, %eax
	je	.LBB2_18
# %bb.2:                                # %next.i
	xorl	%ecx, %ecx
	movl	$1, %eax
	#APP
	cpuid
	#NO_APP
	notl	%ecx
	testl	$953684481, %ecx                # imm = 0x38D81201
	jne	.LBB2_18
# %bb.3:                                # %next2.i
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	cmpl	$7, %eax
	jb	.LBB2_18
# %bb.4:                                # %next4.i
	movl	$7, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	notl	%ebx
	testl	$296, %ebx                      # imm = 0x128
	jne	.LBB2_18
# %bb.5:                                # %next6.i
	movl	$-2147483648, %eax              # imm = 0x80000000
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	cmpl	$-2147483647, %eax              # imm = 0x80000001
	jb	.LBB2_18
# %bb.6:                                # %next8.i
	xorl	%ecx, %ecx
	movl	$-2147483647, %eax              # imm = 0x80000001
	#APP
	cpuid
	#NO_APP
	testb	$32, %cl
	je	.LBB2_18
# %bb.7:                                # %next10.i
	xorl	%ecx, %ecx
	#APP
	xgetbv
	#NO_APP
	notl	%eax
	testb	$6, %al
	jne	.LBB2_18
# %bb.8:
	xorl	%eax, %eax
	popq	%rbx
	retq
.LBB2_10:                               # %same
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	testl	%eax, %eax
	je	.LBB2_18
# %bb.11:                               # %next.i4
	xorl	%ecx, %ecx
	movl	$1, %eax
	#APP
	cpuid
	#NO_APP
	notl	%ecx
	testl	$953684481, %ecx                # imm = 0x38D81201
	jne	.LBB2_18
# %bb.12:                               # %next2.i7
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	cmpl	$7, %eax
	jb	.LBB2_18
# %bb.13:                               # %next4.i8
	movl	$7, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	notl	%ebx
	testl	$296, %ebx                      # imm = 0x128
	jne	.LBB2_18
# %bb.14:                               # %next6.i10
	movl	$-2147483648, %eax              # imm = 0x80000000
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	cmpl	$-2147483647, %eax              # imm = 0x80000001
	jb	.LBB2_18
# %bb.15:                               # %next8.i11
	xorl	%ecx, %ecx
	movl	$-2147483647, %eax              # imm = 0x80000001
	#APP
	cpuid
	#NO_APP
	testb	$32, %cl
	je	.LBB2_18
# %bb.16:                               # %next10.i13
	xorl	%ecx, %ecx
	#APP
	xgetbv
	#NO_APP
	notl	%eax
	testb	$6, %al
	jne	.LBB2_18
# %bb.17:
	xorl	%eax, %eax
	popq	%rbx
	retq
.LBB2_18:                               # %e_runs.exit16.thread
	movq	$-4, %rax
	popq	%rbx
	retq
.Lfunc_end2:
	.size	e_choose, .Lfunc_end2-e_choose
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin2
	.byte	8
	.text
                                        # -- End function
	.p2align	4                               # -- Begin function e_run_arrays
	.type	e_run_arrays,@function
e_run_arrays:                           # @e_run_arrays
.Lfunc_begin3:
# %bb.0:                                # %entry
	testq	%rdi, %rdi
	je	.LBB3_2
# %bb.1:                                # %next
	movabsq	$765071464394005868, %rax       # imm = 0xA9E14717EFE1D6C
	cmpq	%rax, 8(%rdi)
	setne	%al
	testq	%r8, %r8
	sete	%sil
	orb	%al, %sil
	je	.LBB3_3
.LBB3_2:
	movl	$1, %eax
	retq
.LBB3_3:                                # %next4
	pushq	%rbp
	movq	%rsp, %rbp
	movq	16(%rbp), %rax
	testq	%rax, %rax
	je	.LBB3_7
# %bb.4:                                # %pool
	cmpq	$0, 16(%rax)
	je	.LBB3_10
# %bb.5:                                # %next6
	movq	8(%rax), %r10
	cmpq	$1, %r10
	adcq	$0, %r10
	movl	$3, %eax
	cmpq	$127, %r9
	jae	.LBB3_8
	jmp	.LBB3_6
.LBB3_7:
	movl	$1, %r10d
	movl	$3, %eax
	cmpq	$127, %r9
	jae	.LBB3_8
.LBB3_6:
	movq	%rbp, %rsp
	popq	%rbp
	retq
.LBB3_8:                                # %next8
	movq	(%rdx), %rdi
	testb	$3, %dil
	setne	%al
	testq	%rdi, %rdi
	sete	%sil
	orb	%al, %sil
	jne	.LBB3_10
# %bb.11:                               # %next12
	movq	8(%rdx), %rsi
	testb	$3, %sil
	setne	%al
	testq	%rsi, %rsi
	sete	%r9b
	orb	%al, %r9b
	jne	.LBB3_10
# %bb.13:                               # %next16
	movq	16(%rdx), %rdx
	testb	$3, %dl
	setne	%al
	testq	%rdx, %rdx
	sete	%r9b
	orb	%al, %r9b
	je	.LBB3_15
.LBB3_10:
	movl	$1, %eax
	movq	%rbp, %rsp
	popq	%rbp
	retq
.LBB3_15:                               # %next20
	movq	(%rcx), %rcx
	testb	$3, %cl
	setne	%al
	testq	%rcx, %rcx
	sete	%r9b
	orb	%al, %r9b
	movl	$1, %eax
	jne	.LBB3_6
# %bb.16:                               # %next24
	movl	%r8d, %eax
	negl	%eax
	andl	$63, %eax
	movq	%rsp, %r9
	addq	$-32, %r9
	movq	%r9, %rsp
	movq	%r9, (%r8,%rax)
	movq	%r10, 8(%r8,%rax)
	callq	e_main
	xorl	%eax, %eax
	movq	%rbp, %rsp
	popq	%rbp
	retq
.Lfunc_end3:
	.size	e_run_arrays, .Lfunc_end3-e_run_arrays
                                        # -- End function
	.p2align	4                               # -- Begin function e_variant_of_model
	.type	e_variant_of_model,@function
e_variant_of_model:                     # @e_variant_of_model
.Lfunc_begin4:
# %bb.0:                                # %entry
	xorl	%eax, %eax
	testq	%rdi, %rdi
	je	.LBB4_2
# %bb.1:                                # %next
	movabsq	$765071464394005868, %rcx       # imm = 0xA9E14717EFE1D6C
	cmpq	%rcx, 8(%rdi)
	leaq	.Ltext.2(%rip), %rcx
	cmoveq	%rcx, %rax
.LBB4_2:                                # %common.ret
	retq
.Lfunc_end4:
	.size	e_variant_of_model, .Lfunc_end4-e_variant_of_model
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin4
	.byte	0
	.text
                                        # -- End function
	.p2align	4                               # -- Begin function e_init_variant_of_model
	.type	e_init_variant_of_model,@function
e_init_variant_of_model:                # @e_init_variant_of_model
.Lfunc_begin5:
# %bb.0:                                # %entry
	pushq	%rbx
	movq	%rdi, %rbx
	testq	%rdi, %rdi
	setne	%cl
	testb	$7, %bl
	sete	%dl
	movl	$1, %eax
	testb	%dl, %cl
	je	.LBB5_4
# %bb.1:                                # %next2
	xorps	%xmm0, %xmm0
	movups	%xmm0, 16(%rbx)
	movups	%xmm0, (%rbx)
	movq	%rsi, %rdi
	callq	e_choose
	testq	%rax, %rax
	js	.LBB5_2
# %bb.3:                                # %chosen
	movabsq	$765071464394005868, %rax       # imm = 0xA9E14717EFE1D6C
	movq	%rax, 8(%rbx)
	movq	$0, 16(%rbx)
	xorl	%eax, %eax
.LBB5_4:                                # %common.ret
                                        # kill: def $eax killed $eax killed $rax
	popq	%rbx
	retq
.LBB5_2:                                # %refuse3
	negl	%eax
                                        # kill: def $eax killed $eax killed $rax
	popq	%rbx
	retq
.Lfunc_end5:
	.size	e_init_variant_of_model, .Lfunc_end5-e_init_variant_of_model
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin5
	.byte	8
	.text
                                        # -- End function
	.globl	e_init                          # -- Begin function e_init
	.p2align	4
	.type	e_init,@function
e_init:                                 # @e_init
.Lfunc_begin6:
# %bb.0:                                # %entry
	movq	e_chosen(%rip), %rcx
	xorl	%eax, %eax
	testq	%rcx, %rcx
	je	.LBB6_1
# %bb.11:                               # %common.ret
	retq
.LBB6_1:                                # %next
	pushq	%rbx
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	movl	%eax, %ecx
	movl	$4, %eax
	testl	%ecx, %ecx
	je	.LBB6_5
# %bb.2:                                # %next.i.i
	xorl	%ecx, %ecx
	movl	$1, %eax
	#APP
	cpuid
	#NO_APP
	notl	%ecx
	testl	$953684481, %ecx                # imm = 0x38D81201
	jne	.LBB6_12
# %bb.3:                                # %next2.i.i
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	cmpl	$7, %eax
	jae	.LBB6_6
# %bb.4:
	movl	$4, %eax
.LBB6_5:
	popq	%rbx
	retq
.LBB6_6:                                # %next4.i.i
	movl	$7, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	notl	%ebx
	testl	$296, %ebx                      # imm = 0x128
	jne	.LBB6_12
# %bb.7:                                # %next6.i.i
	movl	$-2147483648, %eax              # imm = 0x80000000
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	cmpl	$-2147483647, %eax              # imm = 0x80000001
	jb	.LBB6_12
# %bb.8:                                # %next8.i.i
	movl	$-2147483647, %eax              # imm = 0x80000001
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	testb	$32, %cl
	jne	.LBB6_9
.LBB6_12:
	movl	$4, %eax
	popq	%rbx
	retq
.LBB6_9:                                # %next10.i.i
	xorl	%ecx, %ecx
	#APP
	xgetbv
	#NO_APP
	notl	%eax
	testb	$6, %al
	movl	$4, %eax
	jne	.LBB6_5
# %bb.10:                               # %chosen
	movl	$1, %ecx
	xorl	%eax, %eax
	lock		cmpxchgq	%rcx, e_chosen(%rip)
	xorl	%eax, %eax
	popq	%rbx
	retq
.Lfunc_end6:
	.size	e_init, .Lfunc_end6-e_init
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin6
	.byte	8
	.text
                                        # -- End function
	.globl	e_init_variant                  # -- Begin function e_init_variant
	.p2align	4
	.type	e_init_variant,@function
e_init_variant:                         # @e_init_variant
.Lfunc_begin7:
# %bb.0:                                # %entry
	pushq	%rax
	callq	e_choose
	testq	%rax, %rax
	js	.LBB7_1
# %bb.2:                                # %chosen
	movq	$1, e_chosen(%rip)
	xorl	%eax, %eax
                                        # kill: def $eax killed $eax killed $rax
	popq	%rcx
	retq
.LBB7_1:                                # %refuse
	negl	%eax
                                        # kill: def $eax killed $eax killed $rax
	popq	%rcx
	retq
.Lfunc_end7:
	.size	e_init_variant, .Lfunc_end7-e_init_variant
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin7
	.byte	8
	.text
                                        # -- End function
	.globl	e_variant                       # -- Begin function e_variant
	.p2align	4
	.type	e_variant,@function
e_variant:                              # @e_variant
.Lfunc_begin8:
# %bb.0:                                # %entry
	movq	e_chosen(%rip), %rcx
	testq	%rcx, %rcx
	leaq	.Ltext.2(%rip), %rax
	cmoveq	%rcx, %rax
	retq
.Lfunc_end8:
	.size	e_variant, .Lfunc_end8-e_variant
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin8
	.byte	0
	.text
                                        # -- End function
	.globl	e                               # -- Begin function e
	.p2align	4
	.type	e,@function
e:                                      # @e
.Lfunc_begin9:
# %bb.0:                                # %entry
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rbx
	pushq	%rax
	movq	e_chosen(%rip), %rbx
	subq	$1, %rbx
	jae	.LBB9_15
# %bb.1:                                # %none
	movq	%rdx, %r10
	movq	%rcx, %r11
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	movl	%eax, %ecx
	movl	$4, %eax
	testl	%ecx, %ecx
	je	.LBB9_5
# %bb.2:                                # %next.i.i
	xorl	%ecx, %ecx
	movl	$1, %eax
	#APP
	cpuid
	#NO_APP
	notl	%ecx
	testl	$953684481, %ecx                # imm = 0x38D81201
	jne	.LBB9_6
# %bb.3:                                # %next2.i.i
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	#APP
	cpuid
	#NO_APP
	cmpl	$7, %eax
	jae	.LBB9_7
# %bb.4:
	movl	$4, %eax
.LBB9_5:                                # %common.ret
	leaq	-8(%rbp), %rsp
	popq	%rbx
	popq	%rbp
	retq
.LBB9_7:                                # %next4.i.i
	xorl	%ecx, %ecx
	movl	$7, %eax
	#APP
	cpuid
	#NO_APP
	notl	%ebx
	testl	$296, %ebx                      # imm = 0x128
	jne	.LBB9_6
# %bb.8:                                # %next6.i.i
	xorl	%ecx, %ecx
	movl	$-2147483648, %eax              # imm = 0x80000000
	#APP
	cpuid
	#NO_APP
	cmpl	$-2147483647, %eax              # imm = 0x80000001
	jb	.LBB9_6
# %bb.11:                               # %next8.i.i
	xorl	%ecx, %ecx
	movl	$-2147483647, %eax              # imm = 0x80000001
	#APP
	cpuid
	#NO_APP
	testb	$32, %cl
	jne	.LBB9_13
.LBB9_6:
	movl	$4, %eax
	leaq	-8(%rbp), %rsp
	popq	%rbx
	popq	%rbp
	retq
.LBB9_13:                               # %next10.i.i
	xorl	%ebx, %ebx
	xorl	%ecx, %ecx
	#APP
	xgetbv
	#NO_APP
	notl	%eax
	testb	$6, %al
	movl	$4, %eax
	jne	.LBB9_5
# %bb.14:
	movq	%r11, %rcx
	movq	%r10, %rdx
.LBB9_15:                               # %known
	movq	16(%rbp), %r11
	movq	%rsp, %rax
	leaq	-32(%rax), %r10
	movq	%r10, %rsp
	movq	%rdi, -32(%rax)
	movq	%rsi, -24(%rax)
	movq	%rdx, -16(%rax)
	movq	%rcx, -8(%rax)
	addq	$-8, %rax
	movq	%rsp, %rcx
	leaq	-32(%rcx), %rdi
	movq	%rdi, %rsp
	movq	$0, -32(%rcx)
	movabsq	$765071464394005868, %rdx       # imm = 0xA9E14717EFE1D6C
	movq	%rdx, -24(%rcx)
	movq	%rbx, -16(%rcx)
	subq	$8, %rsp
	movq	%r10, %rdx
	movq	%rax, %rcx
	pushq	%r11
	callq	e_run_arrays
	addq	$16, %rsp
	leaq	-8(%rbp), %rsp
	popq	%rbx
	popq	%rbp
	retq
.Lfunc_end9:
	.size	e, .Lfunc_end9-e
                                        # -- End function
	.p2align	4                               # -- Begin function e_arena_bytes
	.type	e_arena_bytes,@function
e_arena_bytes:                          # @e_arena_bytes
.Lfunc_begin10:
# %bb.0:                                # %entry
	movl	$127, %eax
	retq
.Lfunc_end10:
	.size	e_arena_bytes, .Lfunc_end10-e_arena_bytes
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin10
	.byte	0
	.text
                                        # -- End function
	.globl	e_arena_size                    # -- Begin function e_arena_size
	.p2align	4
	.type	e_arena_size,@function
e_arena_size:                           # @e_arena_size
.Lfunc_begin11:
# %bb.0:                                # %entry
	movl	$127, %eax
	retq
.Lfunc_end11:
	.size	e_arena_size, .Lfunc_end11-e_arena_size
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin11
	.byte	0
	.text
                                        # -- End function
	.globl	e_status_text                   # -- Begin function e_status_text
	.p2align	4
	.type	e_status_text,@function
e_status_text:                          # @e_status_text
.Lfunc_begin12:
# %bb.0:                                # %entry
	cmpl	$10, %edi
	ja	.LBB12_1
# %bb.2:                                # %switch.lookup
	movl	%edi, %eax
	leaq	.Lswitch.table.e_status_text.rel(%rip), %rcx
	movslq	(%rcx,%rax,4), %rax
	addq	%rcx, %rax
	retq
.LBB12_1:
	leaq	.L__unnamed_1(%rip), %rax
	retq
.Lfunc_end12:
	.size	e_status_text, .Lfunc_end12-e_status_text
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin12
	.byte	0
	.text
                                        # -- End function
	.globl	e_describe                      # -- Begin function e_describe
	.p2align	4
	.type	e_describe,@function
e_describe:                             # @e_describe
.Lfunc_begin13:
# %bb.0:                                # %entry
	leaq	e_model(%rip), %rax
	retq
.Lfunc_end13:
	.size	e_describe, .Lfunc_end13-e_describe
	.section	.stack_sizes,"o",@progbits,.text
	.quad	.Lfunc_begin13
	.byte	0
	.text
                                        # -- End function
	.type	e_chosen,@object                # @e_chosen
	.local	e_chosen
	.comm	e_chosen,8,8
	.type	.L__unnamed_2,@object           # @0
	.section	.rodata.str1.1,"aMS",@progbits,1
.L__unnamed_2:
	.asciz	"done"
	.size	.L__unnamed_2, 5

	.type	.L__unnamed_3,@object           # @1
.L__unnamed_3:
	.asciz	"a required pointer is null or misaligned, a size is out of range, or the model is not initialised"
	.size	.L__unnamed_3, 98

	.type	.L__unnamed_4,@object           # @2
.L__unnamed_4:
	.asciz	"an index, given or computed, is outside its range"
	.size	.L__unnamed_4, 50

	.type	.L__unnamed_5,@object           # @3
.L__unnamed_5:
	.asciz	"the arena is too small"
	.size	.L__unnamed_5, 23

	.type	.L__unnamed_6,@object           # @4
.L__unnamed_6:
	.asciz	"this CPU lacks features that the code was compiled for"
	.size	.L__unnamed_6, 55

	.type	.L__unnamed_7,@object           # @5
.L__unnamed_7:
	.asciz	"the weights are truncated, altered, or of another model"
	.size	.L__unnamed_7, 56

	.type	.L__unnamed_8,@object           # @6
.L__unnamed_8:
	.asciz	"the executor did not run what it was given; the outputs are right"
	.size	.L__unnamed_8, 66

	.type	.L__unnamed_9,@object           # @7
.L__unnamed_9:
	.asciz	"the device lacks a feature that the code needs, or a limit of it is too small"
	.size	.L__unnamed_9, 78

	.type	.L__unnamed_10,@object          # @8
.L__unnamed_10:
	.asciz	"the device has no memory left"
	.size	.L__unnamed_10, 30

	.type	.L__unnamed_11,@object          # @9
.L__unnamed_11:
	.asciz	"the device stopped working"
	.size	.L__unnamed_11, 27

	.type	.L__unnamed_12,@object          # @10
.L__unnamed_12:
	.asciz	"the device's driver failed"
	.size	.L__unnamed_12, 27

	.type	.L__unnamed_1,@object           # @11
.L__unnamed_1:
	.asciz	"unknown status"
	.size	.L__unnamed_1, 15

	.type	.Ltext,@object                  # @text
.Ltext:
	.asciz	"e"
	.size	.Ltext, 2

	.type	.Ltext.1,@object                # @text.1
	.section	.rodata.str1.16,"aMS",@progbits,1
	.p2align	4, 0x0
.Ltext.1:
	.asciz	"rotary_embedding hq=2 s=9 d=16"
	.size	.Ltext.1, 31

	.type	.Ltext.2,@object                # @text.2
	.section	.rodata.str1.1,"aMS",@progbits,1
.Ltext.2:
	.asciz	"x86-64-v3"
	.size	.Ltext.2, 10

	.type	.Ltext.3,@object                # @text.3
	.section	.rodata.str1.16,"aMS",@progbits,1
	.p2align	4, 0x0
.Ltext.3:
	.asciz	"x86_64-pc-linux-gnu x86-64-v3 +avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse3,+sse4.1,+sse4.2,+ssse3"
	.size	.Ltext.3, 114

	.type	.Lvariants,@object              # @variants
	.section	.data.rel.ro,"aw",@progbits
	.p2align	3, 0x0
.Lvariants:
	.quad	.Ltext.2
	.quad	.Ltext.3
	.size	.Lvariants, 16

	.type	.Ltext.4,@object                # @text.4
	.section	.rodata.str1.1,"aMS",@progbits,1
.Ltext.4:
	.asciz	"input"
	.size	.Ltext.4, 6

	.type	.Ltext.5,@object                # @text.5
.Ltext.5:
	.asciz	"cosine"
	.size	.Ltext.5, 7

	.type	.Ltext.7,@object                # @text.7
.Ltext.7:
	.asciz	"sine"
	.size	.Ltext.7, 5

	.type	.Lshape.8,@object               # @shape.8
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	3, 0x0
.Lshape.8:
	.quad	9                               # 0x9
	.quad	8                               # 0x8
	.size	.Lshape.8, 16

	.type	.Ltensors,@object               # @tensors
	.section	.data.rel.ro,"aw",@progbits
	.p2align	4, 0x0
.Ltensors:
	.quad	.Ltext.4
	.long	1                               # 0x1
	.long	4                               # 0x4
	.quad	.Lshape.10
	.quad	0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.long	0                               # 0x0
	.long	0                               # 0x0
	.quad	.Ltext.5
	.long	1                               # 0x1
	.long	2                               # 0x2
	.quad	.Lshape.8
	.quad	0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.long	0                               # 0x0
	.long	0                               # 0x0
	.quad	.Ltext.7
	.long	1                               # 0x1
	.long	2                               # 0x2
	.quad	.Lshape.8
	.quad	0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.long	0                               # 0x0
	.long	0                               # 0x0
	.size	.Ltensors, 216

	.type	.Ltext.9,@object                # @text.9
	.section	.rodata.str1.1,"aMS",@progbits,1
.Ltext.9:
	.asciz	"out"
	.size	.Ltext.9, 4

	.type	.Lshape.10,@object              # @shape.10
	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	4, 0x0
.Lshape.10:
	.quad	1                               # 0x1
	.quad	2                               # 0x2
	.quad	9                               # 0x9
	.quad	16                              # 0x10
	.size	.Lshape.10, 32

	.type	.Ltensors.11,@object            # @tensors.11
	.section	.data.rel.ro,"aw",@progbits
	.p2align	4, 0x0
.Ltensors.11:
	.quad	.Ltext.9
	.long	1                               # 0x1
	.long	4                               # 0x4
	.quad	.Lshape.10
	.quad	0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.quad	0                               # 0x0
	.long	0                               # 0x0
	.long	0                               # 0x0
	.size	.Ltensors.11, 72

	.type	e_model,@object                 # @e_model
	.p2align	4, 0x0
e_model:
	.long	3                               # 0x3
	.long	240                             # 0xf0
	.long	16                              # 0x10
	.long	24                              # 0x18
	.long	72                              # 0x48
	.long	0                               # 0x0
	.long	0                               # 0x0
	.long	0                               # 0x0
	.quad	0                               # 0x0
	.quad	.Ltext
	.quad	.Ltext.1
	.quad	0
	.quad	1                               # 0x1
	.quad	.Lvariants
	.quad	0                               # 0x0
	.quad	0
	.quad	3                               # 0x3
	.quad	1                               # 0x1
	.quad	.Ltensors
	.quad	.Ltensors.11
	.quad	0                               # 0x0
	.quad	0
	.quad	0                               # 0x0
	.quad	0
	.quad	0                               # 0x0
	.quad	744                             # 0x2e8
	.quad	32                              # 0x20
	.quad	e_init_variant_of_model
	.quad	e_variant_of_model
	.quad	e_arena_bytes
	.quad	e_run_arrays
	.quad	0
	.quad	0
	.quad	0
	.size	e_model, 240

	.type	.Lswitch.table.e_status_text.rel,@object # @switch.table.e_status_text.rel
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
.Lswitch.table.e_status_text.rel:
	.long	.L__unnamed_2-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_3-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_4-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_5-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_6-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_7-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_8-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_9-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_10-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_11-.Lswitch.table.e_status_text.rel
	.long	.L__unnamed_12-.Lswitch.table.e_status_text.rel
	.size	.Lswitch.table.e_status_text.rel, 44

	.section	".note.GNU-stack","",@progbits
