/* Operations across the lanes of a brush.
 *
 * The iterations of a loop that a brush takes at once are its lanes, numbered from 0. Those that execute a statement together
 * are its active lanes: under `if (c)` the ones where c holds, in a loop the ones that have not left it, at the end of a brushed
 * loop the ones that are iterations of it. All operations are over the active lanes.
 *
 *     rv_any(c)  rv_all(c)     1 when c is not zero in some, in every active lane, else 0                               int
 *     rv_popcount(c)           in how many active lanes c is not zero                                                   int
 *     rv_ballot(c)             bit l is set when lane l is active and c is not zero there; at most 64 lanes  unsigned long long
 *     rv_mask()                whether the lane is active: 1 wherever it is evaluated                                   int
 *     rv_lane()  rv_lanes()    the lane's number; how many lanes there are, active or not                               int
 *     rv_first(x)  rv_last(x)  x of the active lane with the lowest, the highest number                          type of +x
 *     rv_shuffle(x, lane)      x of the lane with that number; nothing is promised if it is not an active one    type of +x
 *     rv_reduce_add(x), mul, min, max        x of all active lanes, folded in ascending order                    type of +x
 *     rv_reduce_and(x), or, xor              the same, for integers                                              type of +x
 *
 * Where nothing is vectorized there is one lane: other compilers take the macros below, and so may the results of a loop that
 * is not brushed differ from those of one that is.
 */
#ifndef RV_H
#define RV_H
#ifdef __TENSORRV__
int rv_any(), rv_all(), rv_popcount(), rv_mask(), rv_lane(), rv_lanes();
unsigned long long rv_ballot();
void rv_first(), rv_last(), rv_shuffle(), rv_reduce_add(), rv_reduce_mul(), rv_reduce_min(), rv_reduce_max(), rv_reduce_and(), rv_reduce_or(), rv_reduce_xor();
#else
#define rv_any(c) ((c) ? 1 : 0)
#define rv_all(c) ((c) ? 1 : 0)
#define rv_popcount(c) ((c) ? 1 : 0)
#define rv_ballot(c) ((c) ? 1ULL : 0ULL)
#define rv_mask() 1
#define rv_lane() 0
#define rv_lanes() 1
#define rv_first(x) (+(x))
#define rv_last(x) (+(x))
#define rv_shuffle(x, lane) ((void)(lane), +(x))
#define rv_reduce_add(x) (+(x))
#define rv_reduce_mul(x) (+(x))
#define rv_reduce_min(x) (+(x))
#define rv_reduce_max(x) (+(x))
#define rv_reduce_and(x) (0 | (x))
#define rv_reduce_or(x) (0 | (x))
#define rv_reduce_xor(x) (0 | (x))
#endif
#endif
