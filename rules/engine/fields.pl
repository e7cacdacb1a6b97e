:- module(etalis_fields, []).
:- use_module(library(lists), [nth1/3]).
:- use_module(library(macros)).

/** <module> The terms that an engine changes in place while it works, and the names of their arguments

Code writes `#walk(clock)` and `#instant(due)` for the number of an argument, as in
`arg(#walk(clock), Walk, Clock)`, and `#new_walk(...)` and `#new_instant(...)` for such a term at its beginning. A
module that uses them says `#import(fields)`.

A walk (feed.pl) goes through the rows of a batch. While it runs it is the global variable `etalis_walk`.

| clock          | the instant that is worked on                                                         |
| turn           | when stores turn next                                                                 |
| stop           | the first row that is not taken; 0: all are; `failed` after an error                  |
| open           | the occurrences of the instant that is left open                                      |
| engine         | the engine's module                                                                   |
| on_late        | what is done with a late row: `error` or `drop`                                       |
| cut            | the end of an instant that has more than a portion of answers, else `none`            |
| given          | of such an instant the table of answers that were given (portions.pl), else `none`    |
| counts         | of such an instant how many answers there were (limits.pl), else []                   |
| machine        | what runs the rules (machine.pl), `none` where Prolog does                            |

An instant (instant.pl) is the global variable `etalis_instant`.

| time           | the end of its occurrences                                                            |
| occurrences    | the set of them                                                                       |
| derived        | how many triples were derived                                                         |
| derived_again  | how many of them were derived again                                                   |
| rank           | how many rows there are whose order counts                                            |
| due            | the operators that wait (settle_later/1), as a set of bits                            |
| due_last       | those that are settled when all others are                                            |
| used           | what answers are made of (use_occurrences/2)                                          |
| added          | the occurrences that were added and not fired yet, a list for each solution           |
| trie           | once it is needed, the trie of the instant (instant_trie/2), else `none`              |
| adding         | once something was derived, what is known of a triple before it is added; else `none` |
*/

#define(walk(Field), Place) :-
    nth1(Place, [clock, turn, stop, open, engine, on_late, cut, given, counts, machine], Field).
#define(new_walk(Clock, Turn, Engine, OnLate), walk(Clock, Turn, 0, [], Engine, OnLate, none, none, [], none)).

#define(instant(Field), Place) :-
    nth1(Place, [time, occurrences, derived, derived_again, rank, due, due_last, used, added, trie, adding], Field).
#define(new_instant(Time, Occurrences), instant(Time, Occurrences, 0, 0, 0, 0, 0, [], [], none, none)).
