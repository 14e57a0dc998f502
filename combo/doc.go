// Package combo routes a request: it finds what the client's model name stands for, orders the targets, and walks
// them until one answers.
//
//	name -> node (a combo, or a direct route as a combo of one)
//	     -> candidates: the strategies' order, nested combos at their place, suspects last
//	     -> for each: fits? permits of provider, key and target? a slot? -> sent
//	     -> first meaningful event: commit, an Answer      | one classified failure: settled, and on by its kind's row
//	     -> protocol's end: success                        | nothing left: one Error that says what became of each
//
// There is one walk for every endpoint, streamed or not, and for every strategy, hence one place that asks breakers,
// one that settles permits, and one that decides what comes after a failure. What a failure is, providers has decided;
// who is charged and what may follow stands in the row of its kind; this package keeps the order, the budgets and
// the waits.
//
// A walk is a sequence of passes. A pass asks, one after the other, whoever may be asked, and ends when nobody is left: the
// pool at once, else the fallback targets that a failure has unlocked, else whoever's wait (a back-off, a queue) is over
// first. Who is refused is passed over for the rest of the pass. What comes after the first pass lets some of those through:
// when_exhausted if nobody was asked, one more chance if all who were have failed.
//
// What a walk may use up is bounded: candidates and keys once each (and same_target), max_retries, the provider's
// retry budget, one deadline, half of which is kept for somebody else as long as there is somebody; queues, held
// bytes and waits have ends.
//
// # What is where
//
// A Config is a value. A router compiles it into a table and swaps that in atomically; a request keeps the table it
// began with. What is learned at run time (requests under way, latencies, cursors, slots, budgets) belongs to the name
// of a target, provider or combo and is carried over.
//
// A strategy is one function and one row in the table of strategies. It orders and never admits: a breaker's refusal
// is found out by asking for permits, not before.
//
// # The blend of `auto`
//
// `auto` puts targets whose breakers are CLOSED before DEGRADED ones, and those before targets that would refuse.
// Among equals the smallest of 0.5 x latency + 0.3 x load + 0.2 x price goes first, each relative to the largest in
// the combo; what was never measured or declared counts as the mean of what was.
package combo
