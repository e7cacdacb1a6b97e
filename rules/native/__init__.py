"""What runs natively. In: terms of the rules. Out: columns that Python reads in place (``answers.c``)."""
