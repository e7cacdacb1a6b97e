:- module(etalis_letter_case,
          [ upper_case/2,               % +String, -Upper
            lower_case/2                % +String, -Lower
          ]).
:- use_module(library(lists), [member/2]).

/** <module> Upper and lower case

The default case mappings of Unicode, as fn:upper-case wants them: the upper case of sharp s is two letters.
Prolog maps letter by letter, and beyond ASCII only as the locale of the process has it; so text beyond ASCII
is mapped by Python, in whose process the engine runs. Where there is no Python, Prolog's mapping has to do.
*/

:- det((upper_case/2, lower_case/2)).

%!  upper_case(+String, -Upper) is det.

upper_case(String, Upper) :-
    (   needs_python(String)
    ->  in_python(upper, String, Upper)
    ;   string_upper(String, Upper)
    ).

%!  lower_case(+String, -Lower) is det.

lower_case(String, Lower) :-
    (   needs_python(String)
    ->  in_python(lower, String, Lower)
    ;   string_lower(String, Lower)
    ).

needs_python(String) :-
    string_codes(String, Codes),
    \+ \+ ( member(Code, Codes), Code > 127 ),
    current_predicate(janus:py_call/3).

%   Call a method of the class str. What stands before the colon in py_call/2 would be taken for a module.

in_python(Method, String, Value) :-
    janus:py_call(operator:methodcaller(Method), Caller, [py_object(true)]),
    janus:py_call(Caller:'__call__'(String), Value, [py_string_as(string)]).
