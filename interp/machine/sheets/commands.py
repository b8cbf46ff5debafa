"""Conversion of a PIM sheet's statements to verbs, timing constraints, and the rules of refreshes and of the
controller; invalid statements are errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast, get_args

from dialects.diagnostics import InputError
from interp.machine.records import (
    VERBS,
    Decoder,
    Level,
    Refresh,
    Relation,
    Scheduler,
    Scope,
    TimingConstraint,
    Verb,
    VerbForm,
)
from interp.machine.sheets.fields import KINDS, REFRESHED_ROWS, SCHEDULER
from interp.machine.sheets.judging import Judge
from interp.machine.sheets.statements import (
    DecoderStatement,
    FieldStatement,
    FormText,
    GapStatement,
    Name,
    PartiesStatement,
    RefreshStatement,
    SyncStatement,
    VariantStatement,
    VerbStatement,
)
from interp.machine.sheets.values import as_float, near, quantity
from interp.units import ENERGY_PER_BANK


class CommandTable:
    """The commands of a PIM's channel and their timing, as values for the fields of a `Pim`. `judge` holds the sheet's
    statements and evaluates their numbers."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.statements = judge.statements

    def values(self) -> dict[str, object]:
        """The values of the fields of `Pim` that describe commands, by name. Raises InputError for invalid or missing
        statements."""
        verbs = {s.verb.text: self.verb(s) for s in self.statements.values() if isinstance(s, VerbStatement)}
        if not verbs:
            raise InputError(
                f"{self.judge.name} has no verbs; write for instance `verb mac = COMP scope all`", str(self.judge.place)
            )
        self._check_energies(verbs)
        constraints = tuple(self.constraint(s, verbs) for s in self.statements.values() if isinstance(s, GapStatement))
        refresh, sync = self.refresh(verbs), self.sync(verbs)
        self._check_controller(verbs)
        variant = self.statements.get("variant")
        stated = {(constraint.before, constraint.after) for constraint in constraints}
        for before, after in self.needed_constraints(verbs, refresh):
            if (before, after) not in stated:
                raise InputError(
                    f"{self.judge.name} states no gap `{before} -> {after}`, so that both commands could be issued "
                    f"at the same time; write for instance `gap bank: {before} -> {after}  10 ns`",
                    str(self.statements[f"verb {after}"].place),
                )
        return {
            "verbs": verbs,
            "constraints": constraints,
            "refresh": refresh,
            "sync": sync,
            "decoder": self.decoder(verbs),
            "unlimited": self._forms("unlimited", verbs),
            "scheduler": self.scheduler(verbs),
            "variant_of": variant.of.text if isinstance(variant, VariantStatement) else "",
        }

    def scheduler(self, verbs: Mapping[str, Verb]) -> Scheduler | None:
        """The controller's rules for the order of requests, if the sheet states any."""
        if not any(key.startswith("scheduler.") for key in self.statements):
            return None
        reaches: dict[tuple[str, Scope], Scope] = {
            form: cast(Scope, s.scope.text)
            for s in self.statements.values()
            if isinstance(s, PartiesStatement) and s.scope is not None
            for form in self._forms_of(*s.parties[0], verbs)
        }
        return Scheduler(
            alone=self._forms("alone", verbs),
            spreads=self._forms("spreads", verbs),
            strays=self._forms("strays", verbs),
            reaches=reaches,
            **cast(dict[str, Any], {field.attribute: self.judge.value(field) for field in SCHEDULER}),
        )

    def _forms(self, word: str, verbs: Mapping[str, Verb]) -> tuple[tuple[str, Scope], ...]:
        """The forms (verb and scope) that the statement with the key `word` lists; empty without such a statement."""
        found = self.statements.get(word)
        parties = found.parties if isinstance(found, PartiesStatement) else ()
        return tuple(form for party in parties for form in self._forms_of(*party, verbs))

    def _forms_of(self, verb: Name, scope: Name | None, verbs: Mapping[str, Verb]) -> tuple[tuple[str, Scope], ...]:
        """The forms (verb and scope) of a verb: the form at `scope`, or if `scope` is None the forms at all scopes that
        the device has for the verb."""
        self._known((verb,), verbs)
        scopes = verbs[verb.text].scopes
        wanted = scopes if scope is None else (cast(Scope, scope.text),)
        forms: tuple[tuple[str, Scope], ...] = tuple((verb.text, one) for one in wanted if one in scopes)
        if not forms:
            raise InputError(
                f"`{verb.text}` has no scope `{scope.text if scope else ''}`; it has {_listed(scopes, 'and')}",
                str(verb.place),
            )
        return forms

    def needed_constraints(self, verbs: Mapping[str, Verb], refresh: Refresh | None) -> Iterator[tuple[str, str]]:
        """The pairs of verbs between which the sheet must state a gap, possibly of 0: from opening a row to its use and
        to its closing, from closing a row to opening the next, between multiplies, around a refresh, from entering a
        mode to the mode's commands, and from the arrival of data to a command that computes with them."""
        opening, closing = ([v for v in verbs if VERBS[v].row == row] for row in ("opens", "closes"))
        using = [verb for verb in verbs if VERBS[verb].needs_row]
        pairs = [(before, after) for before in opening for after in using]
        if not self._field("reopen"):
            pairs += [(before, after) for before in closing if before != "refresh" for after in opening]
        if refresh is not None:
            first = ["preact"] if "preact" in verbs else opening
            pairs += [("pre", "refresh"), *(("refresh", after) for after in first)]
        pairs += [("preact", after) for after in opening]
        pairs += [("mac", "mac"), *((before, "pre") for before in (*opening, *using))]
        for before, after in (("load", "mac"), ("mac", "drain")):
            switches_mode = before in verbs and after in verbs and verbs[before].mode != verbs[after].mode
            pairs.append(("mode", after) if switches_mode else (before, after))
        return ((before, after) for before, after in pairs if before in verbs and after in verbs)

    def _field(self, attribute: str) -> object:
        return self.judge.value(next(field for field in KINDS["pim"].fields if field.attribute == attribute))

    def verb(self, statement: VerbStatement) -> Verb:
        name = statement.verb
        if name.text not in VERBS:
            raise InputError(f"there is no verb `{name.text}`{near(name.text, VERBS)}", str(name.place))
        forms: dict[Scope, VerbForm] = {}
        for form in statement.forms:
            for scope in form.scopes:
                if scope.text not in get_args(Scope):
                    raise InputError(
                        f"a scope must be {_listed(get_args(Scope), 'or')}, not `{scope.text}`", str(scope.place)
                    )
                if scope.text in forms:
                    raise InputError(
                        f"`{name.text}` has scope `{scope.text}` twice; state one form per scope",
                        str(scope.place),
                    )
                forms[cast(Scope, scope.text)] = self.form(form)
        command, bank = self.energy(name.text)
        mode = statement.mode.text if statement.mode is not None else ""
        return Verb(name.text, forms, mode, command, bank)

    def form(self, form: FormText) -> VerbForm:
        latency = self.judge.cycles(form.latency, True) if form.latency is not None else 0
        return VerbForm(form.mnemonic, latency, form.closes, form.rowless)

    def energy(self, verb: str) -> tuple[float, float]:
        """The energy in nJ of one command of a verb, and of each bank that the command addresses: a sheet states one of
        the two, the other is 0."""
        statement = self.statements.get(f"energy.{verb}")
        if not isinstance(statement, FieldStatement):
            return 0.0, 0.0
        by_bank = quantity(statement.value, self.judge.names).dimension == ENERGY_PER_BANK
        amount = as_float(
            self.judge.amount(statement.value, "nJ/bank" if by_bank else "nJ", True), statement.value.place
        )
        return (0.0, amount) if by_bank else (amount, 0.0)

    def _check_energies(self, verbs: Mapping[str, Verb]) -> None:
        for key, statement in self.judge.fields():
            head, _, verb = key.partition(".")
            if head == "energy" and verb not in verbs and not any(f.path == key for f in KINDS["pim"].fields):
                raise InputError(
                    f"`energy {verb}`: {self.judge.name} has no verb `{verb}`{near(verb, verbs)}",
                    str(statement.place),
                )

    def constraint(self, statement: GapStatement, verbs: Mapping[str, Verb]) -> TimingConstraint:
        level = statement.level
        if level.text not in get_args(Level):
            raise InputError(
                f"the level of a gap must be {_listed(get_args(Level), 'or')}, not `{level.text}`", str(level.place)
            )
        self._known((statement.before, statement.after), verbs)
        for verb, scope in ((statement.before, statement.before_scope), (statement.after, statement.after_scope)):
            if scope is not None and scope.text not in verbs[verb.text].scopes:
                raise InputError(
                    f"`{verb.text}` has no scope `{scope.text}`; it has {_listed(verbs[verb.text].scopes, 'and')}",
                    str(scope.place),
                )
        if statement.after.text == "mode":
            raise InputError(
                f"no gap can end at `mode`, but `{statement.before.text} -> mode` was met: the controller changes "
                "modes in the cycle in which the next command could be issued; state the gap to that command (such as "
                f"`{statement.before.text} -> mac`)",
                str(statement.after.place),
            )
        if statement.relation != "any" and verbs[statement.after.text].scopes == ("all",):
            raise InputError(
                f"`{statement.relation} {statement.after.text}` needs a verb that addresses a bank or a group, "
                f"but `{statement.after.text}` has scope all",
                str(statement.after.place),
            )
        return TimingConstraint(
            cast(Level, level.text),
            statement.before.text,
            statement.after.text,
            self.judge.cycles(statement.cycles, True),
            cast(Relation, statement.relation),
            _scope(statement.before_scope),
            _scope(statement.after_scope),
            self._window(statement),
        )

    def _window(self, statement: GapStatement) -> int:
        number = statement.window
        if number is None:
            return 1
        if number.value.denominator != 1 or number.value < 1:
            raise InputError(
                f"a window must be a whole number of commands of at least 1, not {float(number.value):g}",
                str(number.place),
            )
        return int(number.value)

    def refresh(self, verbs: Mapping[str, Verb]) -> Refresh | None:
        statement = self.statements.get("refresh")
        if not isinstance(statement, RefreshStatement) or statement.interval is None:
            return None
        then = statement.then
        if then is not None and then.text not in REFRESHED_ROWS:
            words = _listed(REFRESHED_ROWS, "or")
            raise InputError(f"`then` of `refresh` must be {words}, not `{then.text}`", str(then.place))
        self._known(statement.after, verbs)
        self._needs("refresh", ("pre", "refresh"), verbs, statement)
        return Refresh(
            self.judge.cycles(statement.interval, False),
            tuple(name.text for name in statement.after),
            then is None or REFRESHED_ROWS[then.text],
        )

    def decoder(self, verbs: Mapping[str, Verb]) -> Decoder | None:
        statement = self.statements.get("decoder")
        if not isinstance(statement, DecoderStatement) or statement.queue is None:
            return None
        self._known(statement.waits, verbs)
        queue = self.judge.whole_number(statement.queue, "`decoder queue` (commands)")
        return Decoder(queue, tuple(name.text for name in statement.waits))

    def sync(self, verbs: Mapping[str, Verb]) -> tuple[str, ...]:
        statement = self.statements.get("sync")
        if not isinstance(statement, SyncStatement) or not statement.verbs:
            return ()
        self._known(statement.verbs, verbs)
        self._needs("sync", ("sync",), verbs, statement)
        return tuple(name.text for name in statement.verbs)

    def _check_controller(self, verbs: Mapping[str, Verb]) -> None:
        """Raises InputError if the channel's controller would lack a command that it needs."""
        for verb in verbs.values():
            if verb.mode:
                self._needs(f"mode {verb.mode}", ("mode",), verbs, self.statements[f"verb {verb.name}"])
        if self._field("rows_by") != "controller":
            return
        self._needs("rows by controller", ("act", "pre"), verbs, self.statements["rows_by"])
        using = [verb for verb in verbs.values() if VERBS[verb.name].needs_row]
        for needed in ("preact", "act", "pre"):
            for verb in using if needed in verbs else ():
                for scope in verb.scopes:
                    if scope not in verbs[needed].scopes:
                        raise InputError(
                            f"`{verb.name}` of scope {scope} needs `{needed}` of scope {scope}, since the controller "
                            f"opens and closes its rows; write `verb {needed} = … scope {scope}`",
                            str(self.statements[f"verb {verb.name}"].place),
                        )

    def _known(self, names: Iterable[Name], verbs: Mapping[str, Verb]) -> None:
        for name in names:
            if name.text not in verbs:
                raise InputError(
                    f"{self.judge.name} has no verb `{name.text}`; its verbs are {', '.join(verbs)}", str(name.place)
                )

    def _needs(self, what: str, needed: Iterable[str], verbs: Mapping[str, Verb], at: object) -> None:
        for verb in needed:
            if verb not in verbs:
                place = getattr(at, "place", self.judge.place)
                raise InputError(
                    f"{what} needs a verb `{verb}`; write for instance `verb {verb} = … scope all`", str(place)
                )


def _scope(name: Name | None) -> Scope | None:
    return cast(Scope, name.text) if name is not None else None


def _listed(words: Iterable[str], last: str) -> str:
    """An enumeration of words as text, `a`, `b` or `c`, with the conjunction `last` before the last word."""
    *most, end = [f"`{word}`" for word in words]
    return f"{', '.join(most)} {last} {end}" if most else end
