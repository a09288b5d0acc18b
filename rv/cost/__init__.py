"""What code costs on a described core (`rv.target.description`): the one model behind every choice between forms.

`ports`: cycles that operations need from their ports. `throughput`: what starts in a cycle, for counts of kinds of instructions.
`instructions`: rough numbers of instructions, before it is known which. `frequencies`: how often code runs of which that is not
known. `branches`: tests and mispredictions. `accesses`: forms of loads and stores. `stores`: their alignment. `memory`: lines
that move. `divider`: quotients by multiplications. `registers`: what does not fit into them. `copies`: of arrays in Python.
`margins`: how far estimates are trusted.
"""
