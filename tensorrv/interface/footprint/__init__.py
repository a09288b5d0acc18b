"""Which elements of its arrays a kernel touches for given values of its integer parameters, before it runs.

`slicing` keeps of a function what its subscripts and its control flow depend on, as a `program` that is stored with the kernel.
`evaluation` computes intervals of its values over boxes of loop counters, and `search` cuts boxes until every access is either
inside its array or is shown outside by one iteration.
"""
