"""What rows are written to: a file of some form, a folder of parts, a table of a database.

../forms.py has the table of forms, base.py what an output is, choice.py which one a name asks for, driving.py how rows get there.
kumihimo.extract_to() and the command are around it.
"""
