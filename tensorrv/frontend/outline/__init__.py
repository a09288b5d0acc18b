"""Outlining: loop nests of a C file become functions of their own, and calls of these in the file.

    names      which declaration every name in a function stands for
    shapes     what kind of type a declaration has, as far as it decides how a variable is passed
    nests      the loops of a function, and what keeps one from being outlined
    interface  the free variables of a nest, and how each is passed
    functions  the nest as a function: a tree for the front end
    program    the file with these functions, analysed; one of them lowered
    calls      C text that calls such a function, put where the nest is

Nothing is printed from trees: the text of the file stays what it is, and calls are inserted at the places of tokens.
"""
