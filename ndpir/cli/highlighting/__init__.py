"""Lexical rules of program texts and data sheets, and coloured output on terminals."""
