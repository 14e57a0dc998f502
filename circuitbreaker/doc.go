// Package circuitbreaker says no to a target that fails, and when to ask it
// again. It is the one place that does: cooldowns after a single failure, open
// breakers, outstanding probes and operators' holds have one refusal type, one
// recovery time, one listing and one reset. It speaks no HTTP and no SQL, and
// imports nothing but the standard library.
//
// # Five states
//
//	                the measure reaches 60 % of what opens
//	        +--------+ ------------------------------> +----------+
//	 new -> | CLOSED |                                 | DEGRADED |
//	        +--------+ <------------------------------ +----------+
//	         ^     |          it falls to 30 %              |
//	         |     |                                        |
//	         |     +-- the threshold, a kind's threshold, --+
//	enough   |     |   or a kind that opens at once
//	probes   |     v
//	succeed  |  +------+  the wait passed and somebody asks  +-----------+
//	         |  | OPEN | ----------------------------------> | HALF_OPEN |
//	         |  +------+  or a forced request succeeds       +-----------+
//	         |     ^                                           |   |   ^
//	         |     +------ a probe fails: a step longer -------+   |   |
//	         |                                                     |   |
//	         +-----------------------------------------------------+   |
//	                                                                   |
//	           isolate, from any state   +----------+   release        |
//	          -------------------------> | ISOLATED | -----------------+
//	                                     +----------+
//
// A reset leads from anywhere to CLOSED. CLOSED and DEGRADED let requests flow,
// OPEN and ISOLATED refuse them, HALF_OPEN lets a few probes decide.
//
// # Asking and answering
//
// There is one way to send. [Breaker.Acquire] fills a [Permit], which lives in
// the caller's memory, or returns an [*OpenError]; the holder settles the permit
// exactly once as success, failure of a [Kind], or no verdict. [Breaker.Peek]
// tells what Acquire would answer, and changes nothing. A [Path] asks the
// breakers of a provider, a key and a target together, all or none, for
// [Permits]. [Breaker.Do] wraps all this for whoever has one function to run.
//
// A permit carries the generation in which it was given out. A verdict of an
// earlier generation comes too late and changes nothing, so that the success of
// a request that was admitted before the trip can't close an open breaker.
// Opening, each probe period, closing, reset, isolation and another secret begin
// a generation.
//
// # Reasons of transitions
//
//	word              from          to          why
//	degraded          CLOSED        DEGRADED    the measure reached the mark
//	recovered         DEGRADED      CLOSED      the measure fell to the mark
//	threshold         flowing       OPEN        the measure reached what opens
//	kind-threshold    flowing       OPEN        a kind reached its own threshold
//	immediate-open    flowing       OPEN        a kind that opens at once failed
//	probe             OPEN          HALF_OPEN   the wait had passed, somebody asked
//	forced            OPEN          HALF_OPEN   a forced request succeeded
//	probe-succeeded   HALF_OPEN     CLOSED      enough probes ended well
//	probe-failed      HALF_OPEN     OPEN        one didn't
//	isolated          any           ISOLATED    an operator's
//	released          ISOLATED      HALF_OPEN   an operator's
//	manual-reset      any           CLOSED      an operator's
//	key-changed       any but held  CLOSED      the key has another secret
//	restored          HALF_OPEN     OPEN        the probe died with the process
//
// # Where the rules leave a choice
//
//   - Time alone never opens: that takes a verdict. It degrades where the share
//     of failures rises because successes leave the rolling window. A refusal
//     makes no transition.
//   - A bucket of the rolling window begins with the first verdict that finds
//     none young enough, so that a burst stays for the whole window.
//   - A failed probe counts in the measure like any failure; a probe's success
//     counts toward closing only.
//   - A hint set a cooldown if it made it longer than it would have been.
//   - Parks are told apart: a walk that ignores its own still heeds the others.
//   - With FailureThreshold 0 a kind's threshold opens nothing without
//     ImmediateOpen.
//   - A reset of all touches, and names, the breakers that have anything to
//     clear; a reset by name always makes its transition. What it leaves are
//     ISOLATED breakers, and rows that could not be read.
//   - A full registry evicts the coldest of the same scope, and if none may go,
//     the coldest of all.
//   - Settings that are replaced by equal ones change nothing; DEGRADED is not
//     left by a change of settings, nor is ISOLATED by a change of secret.
//   - Times shown follow a wall clock that is set; waits don't.
//
// # How it is built
//
// The state is a plain value, machine, that is moved by pure functions of
// (machine, rules, time, random draw); the reference model of the tests moves
// beside it. [Breaker] is the shell: a mutex around the machine and, for those
// who take no lock, an atomic word with the generation and whether requests flow,
// and the refusal that only time ends. Time moves a machine when somebody asks;
// there are no timers and no goroutine per breaker. Locks are taken in the order
// registry, breaker, outbox, never two breakers', and nothing waits under them.
//
// What a turn of the machine changed is noted in the registry's outbox. One
// writer commits it to the [Store] as rows of that moment, at once for a
// transition, within the flush interval for counts, and then publishes the
// transitions to the subscriptions: nothing is visible before it is durable.
package circuitbreaker
