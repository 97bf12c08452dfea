"""What requests and answers look like: OpenAPI says it, and the page's types are made from that.

Requests are read by these models.  Answers are plain dicts whose types mypy checks where they are
made, so that no time is spent on checking them again when they are sent.
"""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SkipValidation,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType, TypedDict

from storeys.kernel.reading import short

Theme = TypeAliasType("Theme", Literal["light", "dark", "colour-blind"])
View = TypeAliasType("View", Literal["plan", "skyline"])
Status = TypeAliasType("Status", Literal["waiting", "playing", "over"])
Clock = Literal["none", "2-minutes", "day"]
Reaction = Literal["hello", "bravo", "thanks", "wow", "haha", "hmm", "oops", "phew"]
SeatKind = TypeAliasType("SeatKind", Literal["human", "bot", "open"])

SeatNumber = Annotated[int, Field(ge=0, description="a seat, counted from 0")]
Ply = Annotated[int, Field(ge=0, description="after how many moves")]
FaceName = Annotated[
    str | None, SkipValidation, Field(description="a roof and a colour: `dome-teal`")
]  # Where it is seated it is said which there are.
BotName = Annotated[str | None, SkipValidation]  # Where it is seated it is said which there are.


# --- requests


class RequestModel(BaseModel):
    """What is asked for; a text is no number."""

    model_config = ConfigDict(strict=True, frozen=True)


class ClosedModel(RequestModel):
    """What is asked for, and nothing that nobody would read."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def refuse_unknown_keys(cls, content: Any) -> Any:
        """Say which keys there are, before anything else is said."""
        known = list(cls.model_fields)
        for key in content if isinstance(content, dict) else ():
            if key not in known:
                about = {"key": short(key), "known": ", ".join(known)}
                raise PydanticCustomError("unknown_key", "there is no {key}", about)
        return content


class SeatRequest(ClosedModel):
    """Who is to sit at a seat: me, somebody else at this screen, a friend, or a bot."""

    kind: Literal["me", "here", "friend", "bot"]
    name: str | None = None
    bot: BotName = None
    face: FaceName = None


class TableRequest(ClosedModel):
    """A table that is to be set up."""

    seats: list[SeatRequest]
    game: str
    players: Annotated[int | None, SkipValidation] = None  # The game says which it can be.
    options: dict[str, Any] = {}
    clock: Annotated[
        Clock, Field(description="how long a person has for a turn before a bot plays it")
    ] = "none"
    lesson: Annotated[
        bool, Field(description="the game's first steps: its own deal, against a gentle bot")
    ] = False


class JoinRequest(RequestModel):
    """Who takes the seat of a link."""

    name: str | None = None
    face: FaceName = None


class ReactionRequest(ClosedModel):
    """How a seat takes what happens."""

    seat: SeatNumber
    reaction: Reaction


class CarryRequest(ClosedModel):
    """A phrase of another browser, and whether what this one has goes over too."""

    phrase: str
    merge: bool = False


class EventRequest(RequestModel):
    """Something to be done at a table by a seat."""

    id: Annotated[str, Field(min_length=8, max_length=64, description="an id of your own")]
    seq: Annotated[
        int, Field(ge=0, description="the number of the last event you know"), SkipValidation
    ]
    seat: Annotated[SeatNumber, SkipValidation]  # The table says which there are.


class MoveEvent(EventRequest):
    """A move: its notation or its dict."""

    kind: Literal["move"]
    move: Annotated[str | dict[str, Any], SkipValidation]  # The game says what it cannot read.


class TakeBackEvent(EventRequest):
    """The seat's last move is taken back."""

    kind: Literal["take-back"]


class ResignEvent(EventRequest):
    """The seat is given up for good; a bot plays on."""

    kind: Literal["resign"]


class TakeOverEvent(EventRequest):
    """A bot plays for the seat."""

    kind: Literal["take-over"]
    bot: BotName = None


class ReturnEvent(EventRequest):
    """The owner plays again for a seat that a bot has played for."""

    kind: Literal["return"]


class RenameEvent(EventRequest):
    """The seat has another name."""

    kind: Literal["rename"]
    name: str
    face: FaceName = None


class RematchEvent(EventRequest):
    """The same match once more at a new table."""

    kind: Literal["rematch"]


TableEvent = TypeAliasType(
    "TableEvent",
    Annotated[
        MoveEvent
        | TakeBackEvent
        | ResignEvent
        | TakeOverEvent
        | ReturnEvent
        | RenameEvent
        | RematchEvent,
        Field(discriminator="kind", description="Something to be done at a table, by its kind."),
    ],
)


# --- answers: the state of a table


class Badge(TypedDict):
    """A letter in a colour, for what a seat plays with."""

    text: str
    fill: str
    ink: str


class Seat(TypedDict):
    """Who sits at a seat."""

    seat: SeatNumber
    name: str
    kind: SeatKind
    bot: str | None
    face: Annotated[str | None, Field(description="where the face of who sits there is found")]
    mine: bool
    resigned: bool
    stand_in: Annotated[bool, Field(description="whether a bot plays this turn alone")]
    invite: Annotated[str | None, Field(description="the link that fills an open seat")]
    may_invite: bool
    badges: list[Badge]


class Preview(TypedDict):
    """What a move changes beside points, or still needs: short for the board, and in words."""

    badge: list[str]
    words: str
    becomes: Annotated[str | None, Field(description="what stands on the place then, in short")]


class Choice(TypedDict):
    """A legal move, what has to be picked for it, how it reads, and what it brings at once."""

    move: str
    picks: dict[str, str]
    label: str
    preview: NotRequired[Preview]
    ends: NotRequired[Annotated[bool, Field(description="whether it ends a turn that could go on")]]
    note: NotRequired[str]


class Drawing(TypedDict):
    """SVG by its hash; without its body where the asker has said to know it."""

    hash: str
    body: str | None


class Area(Drawing):
    """A part of the picture: a city on the board, or a panel beside it."""

    name: str
    kind: Literal["city", "panel"]
    seat: SeatNumber | None
    title: str
    width: float
    height: float
    crop: Annotated[
        list[float] | None,
        Field(description="what is seen of it where there is little room: x, y, width, height"),
    ]


class ScorePart(TypedDict):
    """What a seat has points for, by which rule, and the squares that light up for it."""

    rule: str
    label: str
    points: int
    highlight: list[list[int]]
    round: Annotated[int | None, Field(description="when it was scored, if not at the end")]


class Score(TypedDict):
    """The points of a seat, as if the match ended now."""

    seat: SeatNumber
    total: int
    safe: Annotated[int | None, Field(description="what counts now, where a game promises more")]
    promised: Annotated[
        int | None, Field(description="what counts minus as long as it lacks something")
    ]
    parts: list[ScorePart]


class Step(TypedDict):
    """What a key of the choices' picks is called: a thing to pick next."""

    key: str
    words: str


class Count(TypedDict):
    """Keys whose picks are numbers that add up: `words[n]` says that `n` more are to be picked."""

    keys: list[str]
    words: list[str]


class LogEntry(TypedDict):
    """A move that was made, in words, and which pieces of the picture it put on the board."""

    ply: Ply
    seat: SeatNumber
    text: str
    pieces: list[str]


class Notice(TypedDict):
    """What everybody at the table is told beside the moves, after the move `ply`."""

    seq: int
    ply: Ply
    seat: SeatNumber | None
    text: str


class Moment(TypedDict):
    """The earlier position that is shown because a part of a score was made then."""

    ply: Ply
    round: int


class Links(TypedDict):
    """Where to find more of a table."""

    record: str | None
    picture: str
    rules: str


class TurnClock(TypedDict):
    """The clock of a table: all times are the server's, in seconds since 1970."""

    kind: Clock
    deadline: Annotated[float | None, Field(description="when a bot plays for who is to move")]
    now: Annotated[float, Field(description="when this was said, to tell how much is left")]


class LessonBubble(TypedDict):
    """Something that is said in first steps, and what it speaks of."""

    text: str
    light: Annotated[list[str], Field(description="parts of the page, or `area NAME`")]
    asks: Annotated[bool, Field(description="whether something is to be done, not only read")]


class Lesson(TypedDict):
    """First steps: what is said now, and which of the choices are waited for."""

    nth: Annotated[int, Field(description="how many of one's moves are made")]
    of: Annotated[int, Field(description="how many there are")]
    bubbles: list[LessonBubble]
    takes: Annotated[
        list[int] | None, Field(description="numbers of choices; null if none is waited for")
    ]


class State(TypedDict):
    """Everything that a page needs to show a table to a browser and let it play."""

    table: str
    game: str
    title: str
    seq: Annotated[int, Field(description="the number of the last event")]
    ply: Ply
    last_ply: Ply
    status: Status
    lang: str
    players: int
    seats: list[Seat]
    viewer: Annotated[SeatNumber | None, Field(description="whose view this is")]
    mine: list[SeatNumber]
    to_move: SeatNumber | None
    your_turn: bool
    curtain: Annotated[bool, Field(description="whether the next person has yet to come")]
    prompt: str
    goal: Annotated[str, Field(description="what it takes to win")]
    help: Annotated[str, Field(description="the section of the rules that matters now")]
    round: str
    headline: Annotated[str, Field(description="the round, and how many there are")]
    moment: Moment | None
    choices: list[Choice]
    steps: Annotated[list[Step], Field(description="what can be picked, in words")]
    count: Annotated[Count | None, Field(description="how many are to be picked in all")]
    can_take_back: bool
    areas: list[Area]
    defs: Drawing
    scores: list[Score]
    log: list[LogEntry]
    notices: list[Notice]
    winners: list[SeatNumber]
    rematch: Annotated[str | None, Field(description="the table of the rematch")]
    previous: Annotated[str | None, Field(description="the table that this is a rematch of")]
    lesson: Annotated[Lesson | None, Field(description="first steps, while they are taken")]
    view: View
    turn: int
    theme: Theme
    links: Links
    clock: Annotated[TurnClock | None, Field(description="null: there is no hurry")]


class Posted(TypedDict):
    """The number of the event that a post became, and what can be seen since."""

    seq: int
    table: NotRequired[Annotated[str, Field(description="the table of a rematch")]]
    state: State


# --- other answers


class Refusal(TypedDict):
    """Why something is refused, in one sentence, with the rule or the seat that is the reason."""

    error: str
    rule: str | None
    seat: NotRequired[SeatNumber]


class SeatLink(TypedDict):
    """The link that a friend sits down with."""

    seat: SeatNumber
    url: str


class TableMade(TypedDict):
    """A table that was set up."""

    table: str
    url: str
    links: list[SeatLink]


class ReplayMade(TypedDict):
    """A table that shows a record."""

    table: str
    url: str


class TableDeleted(TypedDict):
    """A table that is no longer there."""

    deleted: str


class TableFacts(TypedDict):
    """A table in the list of one's own; `problem` says why one cannot be read."""

    id: str
    title: str
    names: list[str]
    mine: list[SeatNumber]
    state: Literal["waiting", "playing", "over", "unreadable"]
    your_turn: bool
    whose_turn: Annotated[str | None, Field(description="who is to move, while it is played")]
    totals: Annotated[list[int], Field(description="what each seat has got, once it is over")]
    winners: list[SeatNumber]
    may_delete: bool
    when: float
    last: Annotated[float, Field(description="when something happened there last")]
    deadline: Annotated[float | None, Field(description="when a bot plays for who is to move")]
    problem: str | None


class TableView(TypedDict):
    """The view of a seat, as `bot.choose` takes it."""

    seq: int
    status: Status
    view: Annotated[dict[str, Any], Field(description="a position with what the seat may know")]


class EveningMatch(TypedDict):
    """One match of an evening; seats are those of the table that was asked for."""

    table: str
    when: float
    over: bool
    totals: Annotated[list[int], Field(description="what each seat has got, once it is over")]
    winners: list[SeatNumber]


class Evening(TypedDict):
    """The matches that were played in a row at a table, the first one first, and their sums."""

    names: list[str]
    faces: list[str]
    wins: list[int]
    points: list[int]
    matches: list[EveningMatch]


class Reacted(TypedDict):
    """A reaction that was passed on."""

    seat: SeatNumber
    reaction: Reaction


class LinkMade(TypedDict):
    """A link that moves a seat to another device."""

    url: str


class Joined(TypedDict):
    """The table at which a browser has sat down, and its seats there."""

    table: str
    seats: list[SeatNumber]


class PhraseMade(TypedDict):
    """A phrase by which another browser becomes this one, its link, and when it ends."""

    phrase: str
    url: str
    until: Annotated[float, Field(description="seconds since 1970")]


class Carried(TypedDict):
    """How many tables a browser has after it became somebody else."""

    tables: int


class Erased(TypedDict):
    """At how many tables somebody was erased."""

    tables: int


class Record(TypedDict):
    """A whole match, from which it can be replayed."""

    game: str
    rules_version: int
    players: int
    options: dict[str, Any]
    components: Annotated[Any, Field(description="a hash, or a component set of its own")]
    seed: str
    seats: list[str]
    start: NotRequired[Annotated[dict[str, Any], Field(description="a position")]]
    length: int
    moves: list[str]


RecordRequest = Annotated[
    dict[str, Any], WithJsonSchema({"$ref": "#/components/schemas/Record"})
]  # Loading a record says better what is wrong with it.


class OtherLabel(TypedDict):
    """What a value is called where another option has a certain value."""

    option: str
    value: Any
    label: str


class OptionValue(TypedDict):
    """A value of an option; `barred` says with how many players it cannot be played, and why."""

    value: Any
    label: str
    barred: dict[str, str]
    otherwise: NotRequired[list[OtherLabel]]


class RandomValue(TypedDict):
    """A value that leaves the choice to chance."""

    value: int | None
    label: str


class OptionFacts(TypedDict):
    """An option of a game: one of its values, or some of them."""

    name: str
    label: str
    help: str
    default: Any
    kind: Literal["choice", "some"]
    values: list[OptionValue]
    at_random: list[RandomValue]
    most: int | None


class GameOutline(TypedDict):
    """A game as the first page introduces it."""

    name: str
    title: str
    summary: str
    seats: Annotated[list[int], Field(description="how many can play")]
    default_players: int
    lesson: Annotated[bool, Field(description="whether there are first steps")]
    pictures: dict[str, str]


class GameFacts(GameOutline):
    """A game as pages introduce it."""

    options: list[OptionFacts]


class BotFacts(TypedDict):
    """A bot that can sit down."""

    name: str
    label: str
    help: str
    level: Annotated[
        int | None, Field(description="which of the levels it is, from 1, the weakest")
    ]


class Games(TypedDict):
    """The games, and the bots that can sit down."""

    games: list[GameFacts]
    bots: list[BotFacts]


class GameCompiled(TypedDict):
    """How far a game is compiled, in steps."""

    game: str
    done: int
    steps: int


class Compiled(TypedDict):
    """How far the games are compiled that were not when the server started."""

    busy: bool
    games: list[GameCompiled]
