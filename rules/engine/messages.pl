:- module(etalis_messages,
          [ message_text/2              % +Message, -Text
          ]).

/** <module> What SWI-Prolog would print about an error, as text
*/

:- det(message_text/2).

%!  message_text(+Message, -Text) is det.
%
%   Text is an atom of one or more lines, without `ERROR:` and place. A message that Prolog cannot translate
%   is written as a term.

message_text(Message, Text) :-
    catch(message_lines(Message, Text), _, fail),
    !.
message_text(Message, Text) :-
    format(atom(Text), '~q', [Message]).

message_lines(error(Formal, _), Text) :-
    nonvar(Formal),
    !,
    lines_text(error(Formal, _), Text).
message_lines(Message, Text) :-
    lines_text(Message, Text).

lines_text(Message, Text) :-
    phrase('$messages':translate_message(Message), Lines),
    with_output_to(string(Long), print_message_lines(current_output, '', Lines)),
    split_string(Long, "", " \n", [Short]),
    atom_string(Text, Short).
