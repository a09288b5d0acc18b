"""What LLVM's releases get wrong, each in a file of its own with the way around it; `known` lists them.

Most are folds that are right by themselves for some operands: LLVM must not find that two operands are equal, or constants.
`Hidden` lists them; the emitter puts `llvm.arithmetic.fence` around them, which no pass and no pattern of instruction selection
looks through, and which becomes no instruction. `tests/target/llvm_defects` holds for each what LLVM does without it, and fails
when a release has corrected that: then the file goes.
"""
