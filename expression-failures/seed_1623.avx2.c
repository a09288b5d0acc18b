/* avx2 auto
   tion, Plan(auto=True), target, {})
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/autotune/automatic.py", line 55, in compile_automatically
    return _by_estimate(function, plan, target, sizes, machine or machine_of(target), keep or forget)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/autotune/automatic.py", line 100, in _by_estimate
    costs = partial(NestCost, plan=one_row, target=target, machine=machine, sizes=known)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/pipeline/kernel.py", line 84, in compile_function
    tensorized = tensorize(source.function, own, target, clock.stage, linkage, arrays, costs, keep)
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/brush/tensorize.py", line 123, in tensorize
    taken = fastest_order(orders, OrderedLoops(plan, arrays, costs), keep)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/brush/ordered_loops.py", line 61, in fastest_order
    return loops.in_order(orders[0], keep)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/brush/ordered_loops.py", line 86, in in_order
    chosen = _choose(optimistic, plan, order, None if self.costs is None else self.costs(optimistic))
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/brush/ordered_loops.py", line 114, in _choose
    return choose_by_cost(nests, request, costs, allowed)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/nest/choice/choose_by_cost.py", line 84, in choose_by_cost
    found = {root.header: chooser.best((root,)) for root in roots}
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/nest/choice/choose_by_cost.py", line 84, in <dictcomp>
    found = {root.header: chooser.best((root,)) for root in roots}
                          ^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/nest/choice/choose_by_cost.py", line 111, in best
    own = self._own(path, self.costs.nest(path[0].header, parts))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/nest/choice/choose_by_cost.py", line 137, in _own
    return replace(choice, considered=self._reported(chain, tried, otherwise, refused, one))
                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/work/wt/bytes/tensorrv/nest/choice/choose_by_cost.py", line 255, in _reported
    if taken is not None and chain[-1].trip is not None and inner[1] > 1:
                                                            ^^^^^^^^^^^^
TypeError: '>' not supported between instances of 'tuple' and 'int' */
void NAME(int n, const signed char *restrict a, const unsigned long *restrict b, unsigned *restrict o2)
{
    for (int i = 0; i < n; i++) {
        o2[i] |= (unsigned)0;
    }
}
