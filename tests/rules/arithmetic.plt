:- module(test_arithmetic, []).
:- use_module(notation).
:- use_module('../../rules/sparql/values').
:- use_module('../../rules/sparql/functions').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

result(add, "1":integer,    "2":integer,    "3":integer).
result(add, "1":int,        "02":byte,      "3":integer).
result(add, "1":integer,    "2.50":decimal, "3.5":decimal).
result(add, "0.1":decimal,  "0.2":decimal,  "0.3":decimal).
result(add, "1":integer,    "2.5":float,    "3.5E0":float).
result(add, "1":float,      "2":double,     "3.0E0":double).
result(add, "0.1":double,   "0.2":double,   "3.0000000000000004E-1":double).
result(add, "1e308":double, "1e308":double, "INF":double).
result(add, "-1e308":double, "-1e308":double, "-INF":double).
result(add, "INF":double,   "-INF":double,  "NaN":double).
result(add, "INF":double,   "1":integer,    "INF":double).
result(add, "NaN":double,   "1":integer,    "NaN":double).
result(add, "a",            "1":integer,    error).
result(add, "x":integer,    "1":integer,    error).
result(add, unbound,        "1":integer,    error).
result(add, 'urn:a',        "1":integer,    error).
result(subtract, "1":integer, "2":integer,  "-1":integer).
result(subtract, "1":double, "INF":double,  "-INF":double).
result(subtract, "INF":double, "INF":double, "NaN":double).
result(subtract, "1.5":double, "0.5":double, "1.0E0":double).
result(multiply, "3":integer, "4":integer,  "12":integer).
result(multiply, "0.1":decimal, "0.2":decimal, "0.02":decimal).
result(multiply, "1e200":double, "-1e200":double, "-INF":double).
result(multiply, "INF":double, "0":double,  "NaN":double).
result(multiply, "2":float,  "0.5":float,   "1.0E0":float).
result(divide, "6":integer,  "3":integer,   "2":decimal).
result(divide, "1":integer,  "8":integer,   "0.125":decimal).
result(divide, "1":integer,  "3":integer,   "0.333333333333333333":decimal).
result(divide, "2":integer,  "3":integer,   "0.666666666666666667":decimal).
result(divide, "-1":integer, "6":decimal,   "-0.166666666666666667":decimal).
result(divide, "1":integer,  "1000000000000000000000":integer, "0.000000000000000000001":decimal).
result(divide, "1":integer,  "0":integer,   error).
result(divide, "1":decimal,  "0.0":decimal, error).
result(divide, "1":integer,  "0":double,    "INF":double).
result(divide, "1":double,   "-0":double,   "-INF":double).
result(divide, "0":double,   "0":double,    "NaN":double).
result(divide, "1":double,   "-INF":double, "-0.0E0":double).
result(divide, "INF":double, "INF":double,  "NaN":double).
result(divide, "1e300":double, "1e-300":double, "INF":double).

% Single precision; an exact number is rounded to it first.
result(add, "0.1":float,     "0.2":float,     "3.0E-1":float).
result(add, "0.1":decimal,   "0.2":float,     "3.0E-1":float).
result(add, "16777216":float, "1":integer,    "1.6777216E7":float).
result(add, "16777217":integer, "1":float,    "1.6777216E7":float).
result(add, "0.1":float,     "0.2":double,    "3.0000000149011613E-1":double).
result(add, "3.4028235E38":float, "3.4028235E38":float, "INF":float).
result(add, "INF":float,     "-INF":float,    "NaN":float).
result(subtract, "1.0000001E0":float, "1":integer, "1.1920929E-7":float).
result(multiply, "0.1":float, "0.1":float,    "1.0000001E-2":float).
result(multiply, "1e-30":float, "1e-30":float, "0.0E0":float).
result(multiply, "-1e-30":float, "1e-10":float, "-1.0E-40":float).
result(divide, "1":float,    "3":integer,     "3.3333334E-1":float).
result(divide, "1":integer,  "0":float,       "INF":float).
result(divide, "1":float,    "3":double,      "3.333333333333333E-1":double).

% Times and durations.
result(subtract, "12000-01-01T00:00:00Z":dateTime, "0000-01-01T00:00:00Z":dateTime, "P4382910D":dayTimeDuration).
result(subtract, "2000-01-01T00:00:00+14:00":dateTime, "2000-01-01T00:00:00-14:00":dateTime,
       "-P1DT4H":dayTimeDuration).
result(add, "1969-12-31T23:59:59.999999Z":dateTime, "PT0.000001S":dayTimeDuration, "1970-01-01T00:00:00Z":dateTime).
result(add, "9999-12-31T23:59:59Z":dateTime, "PT1S":duration, "10000-01-01T00:00:00Z":dateTime).
result(add, "0000-02-29T00:00:00Z":dateTime, "-P4Y":yearMonthDuration, "-0004-02-29T00:00:00Z":dateTime).
result(add, "2011-01-30T24:00:00Z":dateTime, "P1M":yearMonthDuration, "2011-02-28T00:00:00Z":dateTime).
result(subtract, "2011-01-01":date, "2010-01-01":date, error).
result(add, "100000000000000000-01-01T00:00:00Z":dateTime, "P900000000000000000Y":duration, error).
result(subtract, "100000000000000000-01-01T00:00:00Z":dateTime, "-100000000000000000-01-01T00:00:00Z":dateTime, error).
result(multiply, "P1D":duration, "1e18":double, error).
result(multiply, "P1Y":duration, "1000000000000000000":integer, error).
result(multiply, "P1Y":duration, "999999999999999999":integer, "P999999999999999999Y":duration).
result(subtract, "1970-01-01T00:00:02Z":dateTime, "1970-01-01T00:00:00":dateTime, "PT2S":dayTimeDuration).
result(add, "2011-01-31T00:00:00Z":dateTime, "P1M":yearMonthDuration, "2011-02-28T00:00:00Z":dateTime).
result(add, "2012-01-31T00:00:00Z":dateTime, "P1M1DT1S":duration, "2012-03-01T00:00:01Z":dateTime).
result(add, "PT5S":duration, "1970-01-01T00:00:00Z":dateTime, "1970-01-01T00:00:05Z":dateTime).
result(subtract, "2012-03-31T00:00:00Z":dateTime, "P1Y1M":duration, "2011-02-28T00:00:00Z":dateTime).
result(subtract, "0001-01-31T00:00:00Z":dateTime, "P2Y":duration, "-0001-01-31T00:00:00Z":dateTime).
result(add, "2011-05-30T23:00:00-05:00":dateTime, "P1M":duration, "2011-06-30T23:00:00-05:00":dateTime).
result(add, "1970-01-01T00:00:00":dateTime, "PT0.5S":duration, "1970-01-01T00:00:00.5":dateTime).
result(add, "1970-01-01T00:00:00Z":dateTimeStamp, "PT1S":duration, "1970-01-01T00:00:01Z":dateTime).
result(subtract, "PT5S":duration, "1970-01-01T00:00:00Z":dateTime, error).
result(add, "1970-01-01T00:00:00Z":dateTime, "1970-01-01T00:00:00Z":dateTime, error).
result(add, "1970-01-01T00:00:00Z":dateTime, "1":integer, error).
result(add, "P1D":dayTimeDuration, "PT1H":dayTimeDuration, "P1DT1H":dayTimeDuration).
result(add, "P1D":dayTimeDuration, "P1M":yearMonthDuration, "P1M1D":duration).
result(subtract, "P1M":duration, "P1D":duration, error).
result(multiply, "PT1.5S":duration, "1.5":decimal, "PT2.25S":duration).
result(multiply, "2":integer, "P1MT1.5S":duration, "P2MT3S":duration).
result(multiply, "P5M":yearMonthDuration, "0.5":double, "P3M":yearMonthDuration).
result(multiply, "PT1S":duration, "NaN":double, error).
result(multiply, "PT1S":duration, "PT1S":duration, error).
result(divide, "PT1M":dayTimeDuration, "7":integer, "PT8.571429S":dayTimeDuration).
result(divide, "PT1M":duration, "0":integer, error).
result(divide, "PT1M":duration, "INF":double, "PT0S":duration).
result(divide, "PT1M":duration, "PT0.7S":duration, "85.714285714285714286":decimal).
result(divide, "P1Y":duration, "P5M":duration, "2.4":decimal).
result(divide, "P1Y":duration, "PT5M":duration, error).
result(divide, "PT5M":duration, "PT0S":duration, error).

signed(unary_minus, "5":byte,      "-5":integer).
signed(unary_minus, "0":double,    "-0.0E0":double).
signed(unary_minus, "-INF":double, "INF":double).
signed(unary_minus, "1.50":decimal, "-1.5":decimal).
signed(unary_minus, "P1D":duration, "-P1D":duration).
signed(unary_minus, "a",           error).
signed(unary_plus,  "05":integer,  "5":integer).
signed(unary_plus,  "P1D":duration, error).
signed(unary_plus,  unbound,       error).

:- begin_tests(arithmetic).

test(binary, [forall(result(Operation, A, B, Expected)), Result == Expected]) :-
    gives(Operation, [A, B], Result).
test(unary, [forall(signed(Operation, A, Expected)), Result == Expected]) :-
    gives(Operation, [A], Result).

test(overflow, Result == error) :-
    Large is 10**3000,
    number_string(Large, Text),
    gives(multiply, [Text:integer, Text:integer], Result).
test(decimal_overflow, Result == error) :-
    format(string(Text), "0.~`0t~d~3000|", [1]),
    gives(multiply, [Text:decimal, Text:decimal], Result).
test(too_many_places, Result == error) :-
    format(string(Text), "0.~`0t~d~4002|", [5]),        % 4,000 places
    gives(multiply, [Text:decimal, "0.5":decimal], Result).
test(many_places, Result == Expected:decimal) :-
    format(string(Text), "0.~`0t~d~4001|", [5]),
    string_concat(Start, "5", Text),
    string_concat(Start, "25", Expected),
    gives(multiply, [Text:decimal, "0.5":decimal], Result).
test(large, Result == Expected:integer) :-
    Large is 10**1900,
    number_string(Large, Text),
    Square is Large*Large,
    number_string(Square, Expected),
    gives(multiply, [Text:integer, Text:integer], Result).

% No pair of operands raises, and none leaves a choice point.
operand(Short) :-
    member(Short, [ unbound, 'urn:a', '_:a', "a", "a"@en, "x"^^'urn:t', "x":integer, "true":boolean,
                    "0":integer, "-7":byte, "07":integer, "0.5":decimal, "1e400":double, "-1e308":double,
                    "-0.0E0":double, "NaN":float, "1e-320":float, "2012-02-29T12:00:00+01:00":dateTime,
                    "P1M":duration, "-PT1S":dayTimeDuration, "PT60S":duration, "P1M1D":duration,
                    "3e38":float, "-1e-45":float, "INF":float, "-INF":double, "1e-5":decimal,
                    "999999999999999999-12-31T23:59:59.999999Z":dateTime, "P999999999999999999D":duration,
                    "2012-02-29":date, "24:00:00":time, "2012":gYear, "2012-02-30":date ]).
operand(Text:Type) :-
    length(Nines, 400),
    maplist(=(0'9), Nines),
    string_codes(Text, Nines),
    member(Type, [integer, decimal, double, float]).

% Each value is in the one form that its text is read in: equal literals are one term.
test(one_form, [forall(( member(Operation, [add, subtract, multiply, divide]), operand(A), operand(B) )),
                Again == Value]) :-
    (   term(A, TermA), term(B, TermB), call(Operation, TermA, TermB, Value0)
    ->  Value = Value0,
        short(Value, Short),
        term(Short, Again)
    ;   Value = none, Again = none
    ).
test(one_form_of_functions,
     [forall(( member(Operation, [unary_minus, unary_plus, f_abs, f_round, f_ceil, f_floor, cast_string,
                                  cast_integer, cast_decimal, cast_double, cast_float, cast_byte, cast_datetime,
                                  cast_date, cast_time, cast_gyear, cast_duration, cast_daytimeduration]),
               operand(A) )),
      Again == Value]) :-
    (   term(A, Term), call(Operation, Term, Value0)
    ->  Value = Value0,
        short(Value, Short),
        term(Short, Again)
    ;   Value = none, Again = none
    ).
test(robust_functions, forall(( member(Operation, [unary_minus, unary_plus, f_abs, f_round, f_ceil, f_floor,
                                                  f_year, f_seconds, f_timezone, f_tz, f_str, f_isnumeric,
                                                  cast_string, cast_boolean, cast_integer, cast_decimal, cast_double,
                                                  cast_float, cast_byte, cast_datetime, cast_date, cast_time,
                                                  cast_gyear, cast_duration, cast_daytimeduration,
                                                  cast_yearmonthduration, cast_datetimestamp]),
                                operand(A) ))) :-
    gives(Operation, [A], _).
test(robust, forall(( member(Operation, [add, subtract, multiply, divide, equal, less, less_or_equal]),
                      operand(A), operand(B) ))) :-
    gives(Operation, [A, B], _).

:- end_tests(arithmetic).
