:- module(etalis_background_rules,
          [ load_rules/4                % +Background, +File, +Seconds, -Outcome
          ]).
:- use_module(library(lists), [member/2]).
:- use_module(library(time), [call_with_time_limit/2]).
:- use_module(background, [enter_predicate/3]).
:- use_module(background_graphs, [enter_graph_predicate/4]).
:- use_module(background_facts, [fact_triple/2]).
:- use_module('../engine/messages', [message_text/2]).
:- use_module(state_declarations,
              [add_declaration/6, begin_file/1, is_declaration/1, is_state/3, prefixed/3]).

/** <module> The user's Prolog files

Facts rdf(S,P,O) and rdf(S,P,O,Graph) become triples of the background; all other clauses become predicates of
its module. The file is read here and not by load_files/2, which knows one module for one file: a second
engine with the same file would take the predicates away from the first. So directives that speak of files or
of the reading itself are refused. Other directives run where they stand, `initialization` goals at the end, each
with a time limit.

If anything is wrong, nothing of the file stays.
*/

%!  load_rules(+Background, +File, +Seconds, -Outcome) is det.
%
%   Outcome is [Status,Line,Column,Text,Notes]. Status is `loaded`, or what is wrong: `syntax`, `module`,
%   `directive`, `reserved`, `fact`, `time`, `unsupported`, or of a declaration `prefix`, `state`, `state_name`,
%   `state_arguments`; then Line (from 1), Column (from 1, or 0 where not known) and Text tell more. Notes lists
%   [warning,Text] and [output,Text], for what Prolog and the file printed. Seconds is the time that each directive
%   may take.

:- det(load_rules/4).

load_rules(M, File, Seconds, [Status,Line,Column,Text,Notes]) :-
    dynamic(M:['$rules_clause'/1, '$rules_note'/2]),
    setup_call_cleanup(
        start_loading(M, State),
        catch(load(M, File, Seconds), Error, true),
        stop_loading(State)),
    findall([Kind,Note], ( M:'$rules_note'(Kind, Note), Kind \== error ), Notes),
    problem(Error, Status, Line, Column, Long),
    without_module(M, Long, Text),
    (   Status == loaded
    ->  true
    ;   forall(M:'$rules_clause'(Clause), erase(Clause))
    ),
    retractall(M:'$rules_clause'(_)),
    retractall(M:'$rules_note'(_, _)).

%   While a file loads, Prolog prints nothing, and a halt/0 that the file reaches in some library is refused.

start_loading(M, state(Old, Hook, Halt)) :-
    '$set_source_module'(Old, M),
    thread_self(Thread),
    asserta((user:thread_message_hook(Message, Kind, _) :-
                 etalis_background_rules:note_message(Thread, M, Message, Kind)),
            Hook),
    asserta((system:'$at_halt'(cancel_halt(etalis), etalis)), Halt).

stop_loading(state(Old, Hook, Halt)) :-
    erase(Halt),
    erase(Hook),
    '$set_source_module'(Old).

:- public note_message/4.

note_message(Thread, M, Message, Kind) :-
    thread_self(Thread),
    (   memberchk(Kind, [error, warning])
    ->  message_text(Message, Text),
        assertz(M:'$rules_note'(Kind, Text))
    ;   true
    ).

problem(Loaded, Status, Line, Column, Text), var(Loaded) =>
    Status = loaded, Line = 0, Column = 0, Text = ''.
problem(etalis_problem(Status0, Line0, Detail), Status, Line, Column, Text) =>
    Status = Status0, Line = Line0, Column = 0, Text = Detail.
problem(error(syntax_error(What), Place), Status, Line, Column, Text) =>
    Status = syntax,
    place(Place, Line, Position),
    Column is Position + 1,
    message_text(error(syntax_error(What), _), Text).
problem(Error, Status, Line, Column, Text) =>
    Status = directive, Line = 0, Column = 0,
    message_text(Error, Text).

place(stream(_, Line0, Position0, _), Line, Position) => Line = Line0, Position = Position0.
place(file(_, Line0, Position0, _), Line, Position) => Line = Line0, Position = Position0.
place(_, Line, Position) => Line = 0, Position = -1.

%   The user's predicates are in a module he has not heard of.

without_module(M, Long, Text) :-
    atom_concat(M, :, Prefix),
    atomic_list_concat(Parts, Prefix, Long),
    atomic_list_concat(Parts, Text).

% ---- reading ------------------------------------------------------------------------------------------------

load(M, File, Seconds) :-
    setup_call_cleanup(
        open(File, read, In, [encoding(utf8), bom(true)]),
        ( skip_first_line(In),
          begin_file(M),
          read_clauses(In, M, File, Seconds, Late)
        ),
        close(In)),
    forall(member(Line-Goal, Late), run_directive(M, Seconds, Line, Goal)).

skip_first_line(In) :-
    (   peek_string(In, 2, "#!")
    ->  skip(In, 0'\n)
    ;   true
    ).

read_clauses(In, M, File, Seconds, Late) :-
    read_term(In, Term, [module(M), term_position(Position), syntax_errors(error),
                         variable_names(Names), subterm_positions(Positions)]),
    stream_position_data(line_count, Position, Line),
    (   Term == end_of_file
    ->  Late = []
    ;   is_declaration(Term)
    ->  add_declaration(M, File, Line, Term, Names, Positions),
        read_clauses(In, M, File, Seconds, Late)
    ;   expanded(Line, Term, Terms),
        each_term(Terms, M, Seconds, Line, Late, More),
        read_clauses(In, M, File, Seconds, More)
    ).

expanded(Line, (:- module(_, _)), _) =>
    throw(etalis_problem(module, Line, '')).
expanded(_, (:- Directive), Terms) =>
    Terms = [(:- Directive)].
expanded(Line, Term, Terms) =>
    catch(expand_term(Term, Expanded), Error, true),
    (   nonvar(Error)
    ->  message_text(Error, Text),
        throw(etalis_problem(syntax, Line, Text))
    ;   is_list(Expanded)
    ->  Terms = Expanded
    ;   Terms = [Expanded]
    ).

each_term([], _, _, _, Late, Late).
each_term([Term|Terms], M, Seconds, Line, Late, Tail) :-
    take_term(Term, M, Seconds, Line, Late, Late1),
    each_term(Terms, M, Seconds, Line, Late1, Tail).

take_term((:- initialization(Goal)), _, _, Line, Late, Tail) =>
    Late = [Line-Goal|Tail].
take_term((:- initialization(_, main)), _, _, _, Late, Tail) =>
    Late = Tail.
take_term((:- initialization(Goal, _)), _, _, Line, Late, Tail) =>
    Late = [Line-Goal|Tail].
take_term((:- Directive), M, Seconds, Line, Late, Tail) =>
    Late = Tail,
    run_directive(M, Seconds, Line, Directive).
take_term((?- Directive), M, Seconds, Line, Late, Tail) =>
    Late = Tail,
    run_directive(M, Seconds, Line, Directive).
take_term(Clause0, M, _, Line, Late, Tail) =>
    Late = Tail,
    prefixed(M, Clause0, Clause),
    add_clause(M, Line, Clause).

% ---- directives -----------------------------------------------------------------------------------------

run_directive(_, _, Line, Directive), refused(Directive, Text) =>
    throw(etalis_problem(unsupported, Line, Text)).
run_directive(M, Seconds, Line, Directive) =>
    catch(limited(M:Directive, Seconds, Result, Output), Error, true),
    (   nonvar(Output), Output \== ""
    ->  assertz(M:'$rules_note'(output, Output))
    ;   true
    ),
    (   nonvar(Error)
    ->  directive_problem(Error, Line)
    ;   Result == false
    ->  directive_text(Directive, Shown),
        atom_concat('the directive fails: :- ', Shown, Text),
        throw(etalis_problem(directive, Line, Text))
    ;   M:'$rules_note'(error, Text)
    ->  throw(etalis_problem(directive, Line, Text))
    ;   true
    ).

directive_text(Directive, Text) :-
    copy_term_nat(Directive, Copy),
    numbervars(Copy, 0, _),
    format(atom(Text), '~W', [Copy, [quoted(true), numbervars(true), spacing(next_argument)]]).

limited(Goal, Seconds, Result, Output) :-
    with_output_to(string(Output),
        call_with_time_limit(Seconds, ( Goal -> Result = true ; Result = false ))).

directive_problem(time_limit_exceeded, Line) =>
    throw(etalis_problem(time, Line, '')).
directive_problem(Error, Line) =>
    message_text(Error, Text),
    throw(etalis_problem(directive, Line, Text)).

refused(Goal, 'a directive that is a variable') :- var(Goal), !.
refused(if(_), Text)    :- conditional(Text).
refused(elif(_), Text)  :- conditional(Text).
refused(else, Text)     :- conditional(Text).
refused(endif, Text)    :- conditional(Text).
refused(include(_), Text)        :- other_file(include/1, Text).
refused(consult(_), Text)        :- other_file(consult/1, Text).
refused([_|_], Text)             :- other_file(consult/1, Text).
refused(ensure_loaded(_), Text)  :- other_file(ensure_loaded/1, Text).
refused(load_files(_), Text)     :- other_file(load_files/1, Text).
refused(load_files(_, _), Text)  :- other_file(load_files/2, Text).
refused(reexport(_), Text)       :- other_file(reexport/1, Text).
refused(reexport(_, _), Text)    :- other_file(reexport/2, Text).

conditional('conditional compilation (:- if) is not supported').

other_file(Indicator, Text) :-
    format(atom(Text), 'the directive ~w is not supported; name each file separately', [Indicator]).

% ---- clauses --------------------------------------------------------------------------------------------

add_clause(M, Line, Clause) :-
    (   clause_head(Clause, Head), callable(Head)
    ->  true
    ;   throw(etalis_problem(syntax, Line, 'this is not a clause'))
    ),
    (   rdf_fact(Clause)
    ->  add_fact(M, Line, Clause)
    ;   check_head(M, Line, Head),
        storable(Clause, Storable),
        catch(assertz(M:Storable, Reference), Error, true),
        (   var(Error)
        ->  assertz(M:'$rules_clause'(Reference))
        ;   message_text(Error, Text),
            throw(etalis_problem(syntax, Line, Text))
        )
    ).

clause_head(Clause, _), var(Clause) => fail.
clause_head((Head :- _), Head0) => Head0 = Head.
clause_head((Head, _ => _), Head0) => Head0 = Head.
clause_head((Head => _), Head0) => Head0 = Head.
clause_head(Head, Head0) => Head0 = Head.

%   As '$store_clause'/4 does for a file: assertz/2 knows no guards.

storable((Head, Guard => Body), Storable) => Storable = ?=>(Head, (Guard, !, Body)).
storable(Clause, Storable) => Storable = Clause.

rdf_fact(rdf(_,_,_)).
rdf_fact(rdf(_,_,_,_)).

check_head(_, Line, _:_) =>
    throw(etalis_problem(unsupported, Line, 'a clause for a predicate of another module')).
check_head(_, Line, rdf(_,_,_)) =>
    throw(etalis_problem(fact, Line, 'rdf/3 can have facts only, no rules')).
check_head(_, Line, rdf(_,_,_,_)) =>
    throw(etalis_problem(fact, Line, 'rdf/4 can have facts only, no rules')).
check_head(_, Line, Head), reserved(Head) =>
    functor(Head, Name, Arity),
    format(atom(Text), '~q', [Name/Arity]),
    throw(etalis_problem(reserved, Line, Text)).
check_head(M, Line, Head), is_state(M, Head, _) =>
    functor(Head, Name, Arity),
    format(atom(Text), '~q is a state: events begin and end it, and no clause', [Name/Arity]),
    throw(etalis_problem(state_name, Line, Text)).
check_head(M, Line, since(_,_)), M:'$state'(_, _, _) =>
    throw(etalis_problem(state_name, Line, 'since/2 tells of states since when they hold')).
check_head(_, _, _) =>
    true.

reserved(Head) :-
    functor(Head, Name, Arity),
    current_predicate(system:Name/Arity),
    \+ predicate_property(system:Head, multifile),
    !.
reserved(rdfs(_,_,_)).
reserved(rdfs_subclass(_,_)).
reserved(rdfs_subproperty(_,_)).
reserved(rdf_asserted(_,_,_)).
reserved(rdfs_subclass_of(_,_)).
reserved(rdfs_subproperty_of(_,_)).
reserved(rdfs_individual_of(_,_)).
reserved(Head) :-
    functor(Head, Name, _),
    sub_atom(Name, 0, _, _, $),
    !.

add_fact(M, Line, Fact) :-
    catch(fact_triple(Fact, Triple), error(etalis_fact(Text), _), throw(etalis_problem(fact, Line, Text))),
    (   Triple = t(S,P,O)
    ->  true
    ;   Triple = t(S,P,O,Graph),
        enter_graph_predicate(M, Graph, P, GraphTable),
        add_new(M, GraphTable, S, O)
    ),
    enter_predicate(M, P, Table),
    add_new(M, Table, S, O).

add_new(M, Table, S, O) :-
    Fact =.. [Table, S, O],
    (   \+ \+ M:Fact
    ->  true
    ;   assertz(M:Fact, Reference),
        assertz(M:'$rules_clause'(Reference))
    ).
