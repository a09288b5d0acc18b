"""`tensorrv-cc`: a C compiler that is the user's, but for loop nests that we can make faster.

    command    the contents of a command line of gcc or clang, and options in it that exclude outlining
    options    our own options in it
    dialect    the compiler's language under these options: types, instruction sets, arithmetic
    nests      the nests of one preprocessed file, compiled
    assembly   machine code of nests as assembly in the file's text
    compile    the command: the user's compiler first, unchanged; then once more with nests replaced
    watch      verification and profiles: C code that is compiled into the file
    report     what became of every nest

The user's own command runs first and unchanged. Its messages, dependency files and exit status are those of the command. Only
when it has succeeded its output is replaced by one with our code, if all of that succeeds; whatever fails leaves the
compiler's output.
"""
