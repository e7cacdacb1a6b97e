:- module(test_functions_cast, []).
:- use_module(notation).
:- use_module('../../rules/functions_cast').
:- use_module('../../rules/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

value(cast_string, ['urn:a'],           "urn:a").
value(cast_string, ['_:a'],             error).
value(cast_string, ["01":integer],      "1").
value(cast_string, ["1.0":decimal],     "1").
value(cast_string, ["-7.875":float],    "-7.875").
value(cast_string, ["1.0E6":double],    "1.0E6").
value(cast_string, ["123456.7":double], "123456.7").
value(cast_string, ["1.0E-6":double],   "0.000001").
value(cast_string, ["1.0E-7":double],   "1.0E-7").
value(cast_string, ["0.1":double],      "0.1").
value(cast_string, ["-0.0E0":double],   "-0").
value(cast_string, ["0E1":double],      "0").
value(cast_string, ["NaN":double],      "NaN").
value(cast_string, ["1":boolean],       "true").
value(cast_string, ["2011-01-10T14:45:13-05:00":dateTime], "2011-01-10T14:45:13-05:00").
value(cast_string, ["PT60S":duration],  "PT1M").
value(cast_string, ["x":integer],       "x").
value(cast_string, ["x"^^'urn:t'],      "x").
value(cast_string, ["x"@en],            "x").
value(cast_string, [unbound],           error).

value(cast_integer, ["13"],             "13":integer).
value(cast_integer, [" +13\n"],         "13":integer).
value(cast_integer, ["1.5"],            error).
value(cast_integer, ["-7.9":float],     "-7":integer).
value(cast_integer, ["2.5":decimal],    "2":integer).
value(cast_integer, ["NaN":double],     error).
value(cast_integer, ["INF":double],     error).
value(cast_integer, ["true":boolean],   "1":integer).
value(cast_integer, ["05":byte],        "5":integer).
value(cast_integer, ["13"@en],          error).
value(cast_integer, ["x":integer],      error).
value(cast_integer, ["1970-01-01T00:00:00Z":dateTime], error).
value(cast_integer, ['urn:a'],          error).
value(cast_integer, [unbound],          error).

value(cast_decimal, ["+33.3300"],       "33.33":decimal).
value(cast_decimal, ["-10.2E3"],        error).
value(cast_decimal, ["0.125":double],   "0.125":decimal).
value(cast_decimal, ["-0.1":double],    "-0.1":decimal).
value(cast_decimal, ["1.5E22":double],  "15000000000000000000000":decimal).
value(cast_decimal, ["1e-30":double],   "0.000000000000000000000000000001":decimal).
value(cast_decimal, ["7":integer],      "7":decimal).
value(cast_decimal, ["false":boolean],  "0":decimal).
value(cast_decimal, ["-INF":float],     error).

value(cast_double, ["-10.2E3"],         "-1.02E4":double).
value(cast_double, ["INF"],             "INF":double).
value(cast_double, ["0.1":decimal],     "1.0E-1":double).
value(cast_double, ["true":boolean],    "1.0E0":double).
value(cast_double, ["string"],          error).
value(cast_double, ["1.5":float],       "1.5E0":double).
value(cast_float,  ["1":integer],       "1.0E0":float).
value(cast_float,  ["PT1S":duration],   error).

value(cast_boolean, ["1"],              "true":boolean).
value(cast_boolean, ["TRUE"],           error).
value(cast_boolean, ["0.0":decimal],    "false":boolean).
value(cast_boolean, ["NaN":double],     "false":boolean).
value(cast_boolean, ["-1":integer],     "true":boolean).
value(cast_boolean, ["0":boolean],      "false":boolean).
value(cast_boolean, ['urn:a'],          error).

value(cast_datetime, ["2002-10-10T17:00:00Z"],      "2002-10-10T17:00:00Z":dateTime).
value(cast_datetime, ["2002-10-10T17:00:00+01:00"], "2002-10-10T17:00:00+01:00":dateTime).
value(cast_datetime, ["2002-10-10T17:00:00":dateTime], "2002-10-10T17:00:00":dateTime).
value(cast_datetime, ["2002-10-10T17:00:00Z":dateTimeStamp], "2002-10-10T17:00:00Z":dateTime).
value(cast_datetime, ["2002-10-10":date],           "2002-10-10T00:00:00":dateTime).
value(cast_datetime, ["2002-10-10+01:00":date],     "2002-10-10T00:00:00+01:00":dateTime).
value(cast_datetime, ["2002-10-10Z":date],          "2002-10-10T00:00:00Z":dateTime).
value(cast_datetime, ["2002-13-10Z":date],          error).
value(cast_datetime, ["2002-10-10"],                error).
value(cast_datetime, ["0":integer],                 error).
value(cast_datetime, [unbound],                     error).

value(cast_duration, ["PT60S"],                     "PT1M":duration).
value(cast_duration, ["P1D":dayTimeDuration],       "P1D":duration).
value(cast_duration, ["P"],                         error).
value(cast_duration, ["5":integer],                 error).

:- begin_tests(functions_cast).

test(value, [forall(value(Function, Arguments, Expected)), Value == Expected]) :-
    gives(Function, Arguments, Value).

:- end_tests(functions_cast).
