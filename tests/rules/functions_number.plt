:- module(test_functions_number, []).
:- use_module(notation).
:- use_module('../../rules/sparql/functions_number').
:- use_module('../../rules/sparql/functions_hash').
:- use_module('../../rules/sparql/datatypes', [op(_, _, @), op(_, _, ^^)]).
:- use_module(library(plunit)).

value(f_abs,   ["-5":byte],      "5":integer).
value(f_abs,   ["-1.50":decimal], "1.5":decimal).
value(f_abs,   ["-INF":double],  "INF":double).
value(f_abs,   ["-0.0E0":float], "0.0E0":float).
value(f_abs,   ["a"],            error).
value(f_abs,   [unbound],        error).
value(f_round, ["2.5":decimal],  "3":decimal).
value(f_round, ["-2.5":decimal], "-2":decimal).
value(f_round, ["2.4999":double], "2.0E0":double).
value(f_round, ["-2.5":double],  "-2.0E0":double).
value(f_round, ["-0.3":double],  "-0.0E0":double).
value(f_round, ["0.49999999999999994":double], "0.0E0":double).
value(f_round, ["NaN":double],   "NaN":double).
value(f_round, ["7":integer],    "7":integer).
value(f_round, ["1e300":double], "1.0E300":double).
value(f_ceil,  ["1.2":decimal],  "2":decimal).
value(f_ceil,  ["-1.2":decimal], "-1":decimal).
value(f_ceil,  ["-0.5":double],  "-0.0E0":double).
value(f_ceil,  ["INF":float],    "INF":float).
value(f_floor, ["1.8":decimal],  "1":decimal).
value(f_floor, ["-1.2":double],  "-2.0E0":double).
value(f_floor, ["x":integer],    error).
value(f_floor, ["5"],            error).

value(f_md5,    ["foo"],         "acbd18db4cc2f85cedef654fccc4a4d8").
value(f_md5,    [""],            "d41d8cd98f00b204e9800998ecf8427e").
value(f_sha1,   ["foo"],         "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33").
value(f_sha256, ["foo"],         "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae").
value(f_sha512, [""],
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\c
       47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e").
value(f_sha384, [""],
      "38b060a751ac96384cd9327eb1b1e36a21fdb71114be0743\c
       4c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b").
value(f_sha256, ["a\x0\b\u00e9"], "85d63d45610ba8d1bc662d583d9c027b605982091ff0df9778af391d5d7ad38d").
value(f_md5,    ["foo"@en],      error).
value(f_sha1,   ["5":integer],   error).
value(f_sha1,   [unbound],       error).

:- begin_tests(functions_number).

test(value, [forall(value(Function, Arguments, Expected)), Value == Expected]) :-
    gives(Function, Arguments, Value).
test(rand, true((Value >= 0.0, Value < 1.0))) :-
    gives(f_rand, [], Text:double),
    number_string(Value, Text).

:- end_tests(functions_number).
