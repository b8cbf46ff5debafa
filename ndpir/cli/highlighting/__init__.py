"""Highlighting of program texts and data sheets: lexical rules, coloured terminal output, and TextMate grammars."""
