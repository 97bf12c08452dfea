"""Learning a game at its table: the level, first steps, goal, rules, and what things are."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import storeys
from storeys.registry import get_game
from storeys.web.language import LANGUAGE_COOKIE
from storeys.web.lessons import GENTLE
from tests.browser.helpers import (
    BOT,
    DESKTOP,
    ME,
    NEXT_STEP,
    PHONE,
    POLLING,
    SEEN,
    STILL,
    Server,
    new_table,
    no_errors,
    open_page,
    play_by_post,
    state,
    touch,
    wait_for_turn,
)
from tests.browser.test_access import assert_accessible

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
NEXT_IN_LESSON = f"""
(least) => {{
  const next = document.querySelector("#lesson-next");
  return next.checkVisibility() ? [0, "read"] : ({NEXT_STEP})(least);
}}
"""
COVERED = """
() => {
  const card = document.querySelector("#lesson").getBoundingClientRect();
  const all = [...document.querySelectorAll("#board .can, #panels .can")];
  const [lit, ...others] = all.filter((one) => one.checkVisibility());
  const box = lit?.getBoundingClientRect();
  if (!box || others.length) return false;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x > card.left && x < card.right && y > card.top && y < card.bottom;
}
"""
"""Whether the bubble lies over the one thing that is lit."""
SEES_PLACE = """
() => {
  const card = document.querySelector("#lesson").getBoundingClientRect();
  const places = [...document.querySelectorAll("#board .implied")].filter(
    (one) => one.checkVisibility());
  return places.length > 0 && places.every((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return right < card.left || left > card.right || bottom < card.top || top > card.bottom;
  });
}
"""
"""Whether the whole place is seen on which what is lit is to be laid."""


def follow(page: Page, until: str = "Play on") -> None:
    """Do what is lit, and read what is said, until a button with some words is there."""
    seq = 0
    while True:
        now, step = page.wait_for_function(NEXT_IN_LESSON, arg=seq, polling=POLLING).json_value()
        if step == "read":
            if page.locator("#lesson-next").inner_text() == until:
                return
            page.locator("#lesson-next").click()
        elif step == "skip":
            page.evaluate("document.querySelector('#skip-scene').click()")
        elif step == "confirm":
            touch(page.locator("#confirm"))
            seq = int(now) + 1
        else:
            page.wait_for_function(f"() => !({COVERED})()", polling=POLLING)
            touch(page.locator("#board .can, #panels .can").nth(int(step)))


def begin(page: Page, server: Server, game: str) -> str:
    """A table for the first steps of a game; its page is open."""
    answer = page.request.post(
        f"{server.url}/api/tables", data={"game": game, "seats": [], "lesson": True}
    )
    assert answer.ok, answer.text()
    page.goto(server.url + answer.json()["url"])
    return str(answer.json()["table"])


@SIZES
def test_who_never_played_is_led_through_a_first_match(
    server: Server, browser: Browser, shots: Path, size: dict[str, int]
) -> None:
    title = "Cloud City" if size is DESKTOP else "Neoville"
    page = open_page(browser, server.url, size, asks=True)
    page.get_by_role("button", name=f"Play now: {title}").click()
    assert_accessible(page, "which level")
    page.get_by_role("button", name="My first match").click()
    page.wait_for_url("**/t/*")
    words = page.locator("#lesson-words")
    expect(words).to_contain_text("ost")  # most votes, or points, win
    assert_accessible(page, "first steps")
    touch(page.locator("#board svg.area").first)
    expect(page.locator("#lesson-wrong")).to_contain_text("Have a look at this first")
    page.locator("#lesson-next").click()
    table = page.url.rsplit("/", 1)[-1]
    page.locator("#board svg.area").first.click(position={"x": 4, "y": 4})
    expect(page.locator("#lesson-wrong")).to_contain_text("take what is lit")
    assert state(page, server, table)["seq"] == 0, "a wrong click does nothing"
    if size is PHONE:  # Neoville, whose first tile has one place, lit from the start
        page.wait_for_function(SEES_PLACE)
    follow(page)
    page.screenshot(path=shots / f"lesson-{'desktop' if size is DESKTOP else 'phone'}.png")
    page.locator("#lesson-next").click()
    expect(page.locator("#lesson")).to_be_hidden()
    now = state(page, server, table)
    assert now["your_turn"]
    assert now["headline"].startswith("Round 3")
    assert page.locator("#panels .can").count() > 1, "the match goes on freely"
    no_errors(page)


def test_first_steps_of_a_whole_round_end_in_the_next(server: Server, browser: Browser) -> None:
    """Manhattan's, which are the longest: blocks are chosen and built until a round is scored."""
    page = open_page(browser, server.url)
    table = begin(page, server, "manhattan")
    follow(page)
    expect(page.locator("#lesson-words")).to_contain_text("Five rounds to go")
    page.locator("#lesson-next").click()
    expect(page.locator("#lesson")).to_be_hidden()
    now = state(page, server, table)
    assert now["your_turn"]
    assert now["headline"] == "Round 2 of 6"
    assert sum(score["total"] for score in now["scores"]) > 0
    no_errors(page)


def test_first_steps_can_be_left_and_taken_up_again(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = begin(page, server, "manhattan")
    page.locator("#lesson-next").click()
    assert page.locator("#panels .can").count() == 1
    page.locator("[data-pick-n1='1'].can").click(force=True)
    page.reload()
    page.locator("#lesson-next").click()  # said again to who comes back
    for size in (1, 2, 3):
        page.locator(f"[data-pick-n{size}='1'].can").click(force=True)
    page.locator("#confirm").click()
    expect(page.locator("#lesson-words")).to_contain_text("four green ones")
    page.reload()
    expect(page.locator("#lesson-words")).to_contain_text("four green ones")
    page.get_by_role("button", name="Play without help").click()
    expect(page.locator("#lesson")).to_be_hidden()
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Go on with the first steps").click()
    expect(page.locator("#lesson-words")).to_contain_text("four green ones")
    assert state(page, server, table)["seq"] == 1
    no_errors(page)


def test_the_level_is_asked_once_and_can_be_changed(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, asks=True)
    page.get_by_role("button", name="Play now: Neoville").click()
    page.keyboard.press("Escape")
    expect(page.locator("#level-now")).to_be_hidden()
    page.get_by_role("button", name="Play now: Neoville").click()
    page.get_by_role("button", name="Easy").click()
    page.wait_for_url("**/t/*")
    page.goto(server.url)
    expect(page.locator("#level-now")).to_contain_text("Easy")
    page.get_by_role("button", name="Change").click()
    page.get_by_role("button", name="Hard").click()
    expect(page.locator("#level-now")).to_contain_text("Hard")
    page.get_by_role("button", name="Play now: Neoville").click()
    page.wait_for_url("**/t/*")
    bots = [seat["bot"] for seat in state(page, server, page.url.rsplit("/", 1)[-1])["seats"][1:]]
    assert set(bots) == {"architect"}
    no_errors(page)


@SIZES
@pytest.mark.parametrize(("level", "bot"), [("Easy", GENTLE), ("Hard", "architect")])
def test_the_first_match_ever_is_short_whatever_the_level(
    server: Server, browser: Browser, level: str, bot: str, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size, asks=True)
    play = page.get_by_role("button", name="Play now: Manhattan")

    def bots() -> list[str]:
        page.wait_for_url("**/t/*")
        seats = state(page, server, page.url.rsplit("/", 1)[-1])["seats"]
        return [seat["bot"] for seat in seats[1:]]

    play.click()
    page.get_by_role("button", name=level).click()
    assert bots() == [bot]
    page.context.clear_cookies()  # this browser remembers without its matches
    page.goto(server.url)
    play.click()
    assert bots() == [bot] * 3
    page.evaluate("() => localStorage.removeItem('storeys.begun')")  # and by its matches
    page.goto(server.url)
    play.click()
    assert bots() == [bot] * 3
    no_errors(page)


READ_DOWNWARDS = """
() => {
  const body = document.getElementById("drawer-body");
  return body.scrollWidth <= body.clientWidth && body.scrollHeight > body.clientHeight;
}
"""


@SIZES
def test_the_goal_is_on_the_table_and_the_rules_are_beside_it(
    server: Server, browser: Browser, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    table = new_table(page, server, "cloud-city", [ME, BOT], requests=["circuits"])
    page.goto(f"{server.url}/t/{table}")
    goal = page.locator("#goal")
    expect(goal).to_contain_text("most votes")
    box, below = goal.bounding_box(), page.locator("#prompt-bar").bounding_box()
    assert box is not None
    assert below is not None
    assert box["height"] >= 44
    assert box["y"] + box["height"] <= below["y"] + 1
    goal.click()
    expect(page.locator("#help-goal.here")).to_be_visible()
    page.wait_for_function("() => document.querySelector('#help-goal img').naturalWidth > 0")
    assert "place bg3" not in page.locator("#drawer-body").inner_text(), "nobody types moves here"
    expect(page.locator("#help-cards dt")).to_have_count(1)
    assert_accessible(page, "rules")
    assert page.evaluate(READ_DOWNWARDS), "what is not seen is reached by the wheel"
    page.locator("#drawer-search").fill("colour may")
    expect(page.locator("#drawer-body > section:visible")).to_have_count(1)
    page.locator("#drawer-search").fill("chess")
    expect(page.locator("#drawer-none")).to_have_text("No section mentions this.")
    page.keyboard.press("Escape")
    expect(page.locator("#drawer")).to_be_hidden()
    page.evaluate(
        "Promise.all([import('/static/rules.js'), import('/static/shell.js')]).then("
        "([{ withRules }, { toast }]) => toast(withRules('C-19: it is in the way')))"
    )
    page.get_by_role("button", name="Rule C-19").click()
    expect(page.locator("#help-walkways.here #rule-C-19.here")).to_be_visible()
    no_errors(page)


CUT = """
() => {
  const words = document.querySelector("#goal span");
  const [text, below] = [document.createRange(), document.querySelector("#prompt-bar")];
  text.selectNodeContents(words);
  const lines = [...text.getClientRects()];
  const tools = document.querySelector(".tools").getBoundingClientRect();
  return words.scrollWidth > words.clientWidth || words.scrollHeight > words.clientHeight ||
    lines.some((line) => line.left < 0 || line.right > innerWidth || line.top < tools.bottom ||
      line.bottom > below.getBoundingClientRect().top);
}
"""
"""Whether some of the goal is left out, beside the screen, or under something else."""


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("game", storeys.game_names())
def test_all_of_the_goal_is_read_on_a_phone(
    server: Server, browser: Browser, shots: Path, game: str, lang: str
) -> None:
    page = open_page(browser, server.url, PHONE)
    page.context.add_cookies([{"name": LANGUAGE_COOKIE, "value": lang, "url": server.url}])
    table = new_table(page, server, game, [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    expect(page.locator("#goal")).to_have_text(get_game(game).goal(lang))
    assert not page.evaluate(CUT)
    page.screenshot(path=shots / f"goal-{game}-{lang}.png")
    no_errors(page)


def test_a_phone_sets_a_match_up_on_one_screen(server: Server, browser: Browser) -> None:
    """Who sits where, in a line each, and the button that begins it, before anybody scrolls."""
    page = open_page(browser, f"{server.url}/new/manhattan?how=bots", PHONE)
    page.set_viewport_size({"width": 360, "height": 780})
    rows = page.locator(".seat-row:visible")
    assert rows.count() == 4
    for row in (*rows.all(), page.get_by_role("button", name="Start")):
        expect(row).to_be_in_viewport(ratio=1)
    assert all((row.bounding_box() or {"height": 99})["height"] < 64 for row in rows.all())
    page.get_by_role("button", name="Start").tap()
    page.wait_for_url("**/t/*")
    no_errors(page)


def test_cards_can_be_read_before_the_match(server: Server, browser: Browser) -> None:
    page = open_page(browser, f"{server.url}/new/cloud-city?how=friends")
    page.locator(".read-cards summary").click()
    expect(page.locator(".read-cards dt:visible")).to_have_count(10)
    expect(page.locator(".read-cards dl:visible")).to_contain_text("each walkway that crosses")
    page.get_by_label("German edition").check()
    expect(page.locator(".read-cards dl:visible")).not_to_contain_text("each walkway that crosses")
    seats = [ME, {"kind": "friend"}]
    table = new_table(page, server, "cloud-city", seats, requests=["circuits"])
    invite = state(page, server, table)["seats"][1]["invite"]
    friend = open_page(browser, server.url + invite, PHONE)
    expect(friend.locator(".cards dt")).to_have_count(1)
    expect(friend.get_by_role("link", name="Rules")).to_be_visible()
    assert_accessible(friend, "joining")
    no_errors(friend)


def test_everything_says_what_it_is_and_why_it_is_grey(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "manhattan", [ME, BOT])
    wait_for_turn(page, server, table)
    page.goto(f"{server.url}/t/{table}")
    expect(page.locator("#panels .can").first).to_be_visible()
    tip = page.locator("#tip")
    card = page.locator("[data-pick-card]").first
    expect(card).to_be_visible()
    card.hover(force=True)
    expect(tip).to_contain_text("that site in any city")
    expect(tip).to_contain_text("no move uses this now")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.locator("#confirm").hover(force=True)
    expect(tip).to_contain_text("first pick what is lit")
    page.locator("[data-grey]").hover(force=True)  # while blocks are picked
    expect(tip).to_contain_text("Draw a new hand – only if you can build with none of your cards")
    expect(tip).to_contain_text("no move uses this now")
    page.locator(".seat").first.hover()
    expect(tip).to_contain_text("Ada, you, points: 0")
    page.keyboard.press("Tab")  # by keyboard too
    page.locator("#confirm").focus()
    expect(tip).to_contain_text("first pick what is lit")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.keyboard.press("Enter")
    expect(tip).to_contain_text("first pick what is lit")
    page.locator("[data-pick-n1='1']").focus()
    page.keyboard.press("ArrowDown")
    expect(tip).to_be_visible()
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "tip"
    assert_accessible(page, "a tooltip")
    no_errors(page)


def ask_by_finger(page: Page, x: float, y: float) -> None:
    """Let a finger stay somewhere until it is told what is there."""
    touches = page.context.new_cdp_session(page)
    point = {"x": x, "y": y}
    touches.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    expect(page.locator("#tip")).to_be_visible()
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


STARRED = "() => document.querySelector('#board use[href$=star]') !== null"


@SIZES
def test_the_star_and_what_is_seldom_of_use_say_what_they_are(
    server: Server, browser: Browser, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    table = new_table(page, server, "manhattan", [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    now = wait_for_turn(page, server, table)
    while not (page.evaluate(STARRED) and any("site" in one["picks"] for one in now["choices"])):
        now = play_by_post(page, server, table, 1)
        page.wait_for_function(SEEN, arg=now["seq"])
    tip = page.locator("#tip")
    if size is PHONE:  # where one panel has room
        page.locator("#tabs [data-tab~=hand]").click()
    ask(page, page.locator("[data-pick-action]"))
    expect(tip).to_contain_text("only if you can")
    expect(tip).to_contain_text("no move uses this now")
    ask(page, page.locator("[data-pick-site] use[href$=star]"))
    expect(tip).to_contain_text("The tallest tower of all: 3 points")
    page.locator("#view-skyline").click()
    ask(page, page.locator(".plate use[href$=star]"))
    expect(tip).to_contain_text("The tallest tower of all: 3 points")
    no_errors(page)


def ask(page: Page, thing: Locator) -> None:
    """Ask something what it is: by a mouse that rests on it, or a finger that stays."""
    expect(thing).to_be_visible()
    page.wait_for_function(STILL)
    box = thing.bounding_box()
    assert box is not None
    ask_at(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def ask_at(page: Page, x: float, y: float) -> None:
    """Ask what is somewhere."""
    if page.viewport_size == PHONE:
        ask_by_finger(page, x, y)
    else:
        page.mouse.move(x, y)


RESTS = """
(one) => {
  const box = one.getBoundingClientRect();
  const [clientX, clientY] = [box.x + box.width / 2, box.y + box.height / 2];
  const moved = { pointerType: "mouse", clientX, clientY, bubbles: true };
  document.elementFromPoint(clientX, clientY).dispatchEvent(new PointerEvent("pointermove", moved));
  return one;
}
"""
MEANWHILE = {
    "drawn anew": "one => one.replaceWith(one.cloneNode(true))",
    "scrolled": "() => document.querySelector('#panels').dispatchEvent(new Event('scroll'))",
    "left by the focus": "() => document.querySelector('#goal').dispatchEvent("
    "new FocusEvent('focusout', { bubbles: true }))",
}


@pytest.mark.parametrize("change", MEANWHILE)
def test_a_resting_mouse_is_answered_whatever_the_page_does_meanwhile(
    server: Server, browser: Browser, change: str
) -> None:
    page = open_page(browser, server.url, DESKTOP)
    table = new_table(page, server, "manhattan", [ME, BOT])
    wait_for_turn(page, server, table)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    page.wait_for_function(STILL)
    page.locator(".seat").first.evaluate(f"one => ({MEANWHILE[change]})(({RESTS})(one))")
    expect(page.locator("#tip")).to_contain_text("Ada, you, points: 0")
    no_errors(page)


A_PARK_IN_SIGHT = """
() => {
  for (const one of document.querySelectorAll(".large use:is([href$=park], [href$=sport])")) {
    const box = one.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const seen = document.elementFromPoint(x, y)?.getAttribute("data-tip");
    if (seen && seen === one.getAttribute("data-tip")) return [x, y];
  }
  return null;
}
"""
"""Where a park or a sports ground is seen."""


@SIZES
def test_squares_that_are_laid_say_what_they_are(
    server: Server, browser: Browser, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    table = new_table(page, server, "neoville", [ME])
    page.goto(f"{server.url}/t/{table}")
    while not (found := page.evaluate(A_PARK_IN_SIGHT)):
        page.wait_for_function(SEEN, arg=play_by_post(page, server, table, 1)["seq"])
        page.wait_for_function(STILL)
    ask_at(page, *found)
    words = re.compile(r"(earth|grass|stone|water) \+ (park|sports ground)")
    expect(page.locator("#tip")).to_contain_text(words)
    page.locator("#view-skyline").click()
    flat = page.locator(".large g[transform^=matrix] use").first
    expect(flat).to_have_attribute("data-tip", re.compile("earth|grass|stone|water"))
    no_errors(page)


ON_A_WALKWAY = """
() => {
  const lies = (box, x, y) => x > box.left && x < box.right && y > box.top && y < box.bottom;
  const boxes = (what) => [...document.querySelectorAll(`.large ${what}`)].map(
    (one) => [one, one.getBoundingClientRect()]);
  for (const [, bar] of boxes("[aria-label^=walkway]"))
    for (const [roof, box] of boxes("[data-pick-from].can")) {
      const x = (Math.max(bar.left, box.left) + Math.min(bar.right, box.right)) / 2;
      const y = (Math.max(bar.top, box.top) + Math.min(bar.bottom, box.bottom)) / 2;
      if (lies(bar, x, y) && lies(box, x, y)) return [x, y, roof.getAttribute("data-pick-from")];
    }
  return null;
}
"""
"""A point at which a walkway lies on a building that can be picked, and that building."""


@SIZES
def test_walkways_say_what_they_are_and_let_buildings_be_picked(
    server: Server, browser: Browser, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    x, y, building = on_a_walkway(page, server)
    tip = page.locator("#tip")
    if size is DESKTOP:
        page.mouse.move(x, y)
        expect(tip).to_contain_text("Walkway, ")
        page.mouse.move(1, 1)
        expect(tip).to_be_hidden()
        page.locator(".large use[href*=plate]").first.hover(force=True)
        expect(tip).to_contain_text("Walkway, ")
        page.mouse.click(x, y)
    else:
        ask_by_finger(page, x, y)
        expect(tip).to_contain_text("Walkway, ")
        page.touchscreen.tap(x, y)
    expect(page.locator(f"[data-pick-from='{building}'].picked")).to_have_count(1)
    no_errors(page)


def on_a_walkway(page: Page, server: Server) -> tuple[float, float, str]:
    """A match that has come so far that a walkway lies on a building that can be picked."""
    while True:
        table = new_table(page, server, "cloud-city", [ME])
        page.goto(f"{server.url}/t/{table}")
        now = state(page, server, table)
        while now["status"] == "playing":
            page.wait_for_function(SEEN, arg=now["seq"])
            page.wait_for_function(STILL)
            if found := page.evaluate(ON_A_WALKWAY):
                return tuple(found)
            now = play_by_post(page, server, table, 1)


def test_a_finger_that_stays_asks_and_does_not_pick(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, PHONE)
    table = new_table(page, server, "neoville", [ME, BOT])
    wait_for_turn(page, server, table)
    page.goto(f"{server.url}/t/{table}")
    tile = page.locator("[data-pick-tile].can").first
    box = tile.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    ask_by_finger(page, x, y)
    expect(page.locator("#board .picked, #panels .picked")).to_have_count(0)
    tile.tap(force=True)
    expect(page.locator("#panels .picked")).to_have_count(1)
    no_errors(page)
