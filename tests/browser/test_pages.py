"""What every page owes a finger, a mouse and a keyboard, in a real browser."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import storeys
from storeys.kernel.drawing.themes import THEMES
from storeys.kernel.tiles.picture import CITY
from tests.browser.helpers import (
    BOT,
    DESKTOP,
    ERRORS,
    ME,
    PHONE,
    SEEN,
    STILL,
    Finished,
    Server,
    finish,
    new_table,
    no_errors,
    open_page,
    play_by_post,
    state,
    touch,
    wait_for_turn,
)
from tests.proofs import in_proof

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
LEAST, LEAST_FOR_A_MOUSE = 44, 24
TOO_SMALL = """
([least, leastInAreas]) => {
  const controls = "button, a[href], summary, select, textarea, input, [role=tab], " +
    ".area .can, .area .may, .area .picked";
  const needed = (one) => (one.closest(".area.city") ? leastInAreas : least) - 0.5;
  const seen = (one) =>
    one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1;
  // Links in running text are as high as their line; what lies behind a dialog cannot be touched;
  // a small city is touched as a whole, and opens.
  const counts = (one) =>
    !one.disabled && !one.closest(".prose :is(p, li), [inert], .beside, .opens, .skip") &&
    (one.closest("dialog") || !document.querySelector("dialog[open]"));
  return [...document.querySelectorAll(controls)].filter((one) => seen(one) && counts(one))
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, box]) => Math.min(box.width, box.height) < needed(one))
    .map(([one, box]) => {
      const words = one.getAttribute("aria-label") ?? one.textContent.trim();
      return `${one.tagName} “${words.slice(0, 40)}” is ${box.width} by ${box.height}`;
    });
}
"""
NEXT_PICK = """
() => {
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const can = [...document.querySelectorAll("#panels .can, #board .can")].filter(seen);
  const click = () => can[0]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const opens = can[0]?.closest(".opens");
  click();
  if (opens) click();
  return can.length > 0;
}
"""


def assert_large_enough(page: Page, where: str) -> None:
    page.wait_for_function(STILL)  # once the board has come closer
    by_finger = page.evaluate("matchMedia('(pointer: coarse)').matches")
    in_cities = LEAST if by_finger else LEAST_FOR_A_MOUSE
    assert page.evaluate(TOO_SMALL, [LEAST, in_cities]) == [], where


# --- how large things are


@SIZES
def test_everything_on_a_page_is_large_enough(
    server: Server, browser: Browser, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    new = [f"/new/{game}?how={how}" for game in storeys.game_names() for how in ("bots", "friends")]
    for path in ["/", *new, "/replay", "/rules/neoville", "/t/nothing"]:
        page.goto(server.url + path)
        assert_large_enough(page, path)


@pytest.mark.parametrize(
    ("players", "size"),
    [
        pytest.param(4, PHONE, id="4-phone"),  # the least room
        pytest.param(2, DESKTOP, id="2-desktop"),
        pytest.param(2, PHONE, id="2-phone", marks=in_proof),
        pytest.param(4, DESKTOP, id="4-desktop", marks=in_proof),
    ],
)
@pytest.mark.parametrize("game", storeys.game_names())
def test_everything_in_a_match_is_large_enough(
    server: Server, browser: Browser, game: str, players: int, size: dict[str, int]
) -> None:
    page = open_page(browser, server.url, size)
    table = new_table(page, server, game, [ME, *[BOT] * (players - 1)])
    for moves in (0, 1, 5):
        now = play_by_post(page, server, table, moves)
        page.goto(f"{server.url}/t/{table}")
        page.wait_for_function(SEEN, arg=now["seq"])
        assert_large_enough(page, f"{now['prompt']} ({now['ply']})")
        while not page.locator("#confirm").is_enabled() and page.evaluate(NEXT_PICK):
            assert_large_enough(page, f"{now['prompt']} ({now['ply']}), something picked")
        for name in ("Scores", "Log"):
            if size is PHONE:
                page.get_by_role("tab", name=name).click()
                assert_large_enough(page, name)
    page.locator("#open-menu").click()
    assert_large_enough(page, "menu")
    no_errors(page)


@SIZES
def test_everything_at_the_end_is_large_enough(
    browser: Browser, finished: Finished, size: dict[str, int]
) -> None:
    page = finished.open(browser, size)
    assert_large_enough(page, "the end")
    page.locator("#open-menu").click()
    page.locator("#menu-items").get_by_role("button", name="Score sheet").click()
    assert_large_enough(page, "score sheet")


CLOCK_THAT_IS_BEHIND = """
const real = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (step) => real((now) => step(now - 60_000));
window.seen = [];
new MutationObserver((changes) => {
  const areas = changes.map(({ target }) => target).filter((one) => one.matches(".area"));
  seen.push(...areas.map((one) => one.getAttribute("viewBox")));
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["viewBox"] });
"""
LOOKS = "() => document.querySelector('.city-box.large .area').getAttribute('viewBox').split(' ')"


def ready_to_build(page: Page, server: Server) -> str:
    """A table of Neoville at which a piece can be put on several squares."""
    table = new_table(page, server, "neoville", [ME, BOT])
    now = wait_for_turn(page, server, table)
    for _ in range(60):
        places = {c["picks"]["square"] for c in now["choices"] if "piece" in c["picks"]}
        if len(places) > 1 and any(c.get("note") for c in now["choices"]):
            return table
        now = play_by_post(page, server, table, 1)
    raise AssertionError("nothing can be built")


def is_near(page: Page) -> bool:
    """Whether a part of one's own city alone is seen."""
    page.wait_for_function(STILL)
    return bool(float(page.evaluate(LOOKS)[2]) < CITY - 1)


def test_the_board_comes_closer_whatever_the_clock_of_frames_says(
    server: Server, browser: Browser
) -> None:
    page = open_page(browser, server.url, PHONE, moves=True)
    table = ready_to_build(page, server)
    page.add_init_script(CLOCK_THAT_IS_BEHIND)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    assert is_near(page)
    boxes = [[float(n) for n in box.split()] for box in page.evaluate("seen") if box]
    assert len(boxes) > 2
    assert all(x >= 0 and y >= 0 and w > 0 and h > 0 for x, y, w, h in boxes), boxes
    no_errors(page)


def test_the_board_comes_closer_to_a_finger_but_not_to_a_mouse(
    server: Server, browser: Browser
) -> None:
    page = open_page(browser, server.url, PHONE)
    table = ready_to_build(page, server)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    assert is_near(page)
    pieces = page.locator("#panel-supply .can")
    pieces.first.click(force=True)
    assert not is_near(page)
    expect(page.locator("#zoom")).to_be_hidden()
    page.locator("#panel-supply .picked").first.tap(force=True)
    assert is_near(page)
    expect(page.locator("#zoom")).to_be_visible()


def test_a_mouse_alone_sees_the_whole_city(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, {"width": 860, "height": 540})
    table = ready_to_build(page, server)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    assert not is_near(page)


CUT_BADGES = """
() => [...document.querySelectorAll(".badge")].filter((one) => {
  const [box, area] = [one, one.closest(".area")].map((each) => each.getBoundingClientRect());
  const aside = box.left < area.left || box.right > area.right;
  return aside || box.top < area.top || box.bottom > area.bottom;
}).map((one) => one.textContent)
"""
BADGES_AT_THE_CORNERS = """
async () => {
  const { AreaView, badgeBeside } = await import("/static/areas.js");
  const view = new AreaView({ kind: "panel", name: "corners", width: 360, height: 200 });
  document.querySelector("#panel-supply").append(view.svg);
  view.look([0, 0, 360, 200]);
  for (const [x, y] of [[0, 0], [360, 0], [0, 200], [360, 200]]) {
    view.top.append(badgeBeside("−99", new DOMRect(x, y, 0, 0), view, []));
  }
}
"""


@SIZES
def test_no_badge_is_cut_at_an_edge(server: Server, browser: Browser, size: dict[str, int]) -> None:
    page = open_page(browser, server.url, size)
    table = ready_to_build(page, server)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    page.wait_for_function(STILL)
    touch(page.locator("#cities .large rect.can").first)
    expect(page.locator(".badge").first).to_be_attached()
    page.wait_for_function(STILL)
    assert page.evaluate(CUT_BADGES) == []
    page.evaluate(BADGES_AT_THE_CORNERS)
    expect(page.locator(".badge", has_text="−99")).to_have_count(4)
    assert page.evaluate(CUT_BADGES) == []


# --- things that are alike


def ready_with_equal_cards(page: Page, server: Server) -> tuple[str, str]:
    """A table of Manhattan at which somebody has two equal cards to build with, and which."""
    table = new_table(page, server, "manhattan", [ME, BOT])
    now = wait_for_turn(page, server, table)
    for _ in range(60):
        body = next(area["body"] for area in now["areas"] if area["name"] == "hand")
        cards = re.findall(r'data-pick-card="(\d)"', body)
        playable = {choice["picks"].get("card") for choice in now["choices"]}
        twins = [card for card in cards if cards.count(card) == 2 and card in playable]
        if twins and len(playable) > 1 and leaves_a_choice(now["choices"], twins[0]):
            return table, twins[0]
        now = play_by_post(page, server, table, 1)
    raise AssertionError("no hand has two equal cards")


def leaves_a_choice(choices: list[dict[str, Any]], card: str) -> bool:
    """Whether a card goes with several blocks, each on several sites: one alone is not picked."""
    picks = [choice["picks"] for choice in choices if choice["picks"].get("card") == card]
    blocks = [pick["block"] for pick in picks]
    return len(set(blocks)) > 1 and all(blocks.count(block) > 1 for block in blocks)


@pytest.mark.parametrize("how", ["mouse", "finger", "keys"])
def test_of_two_equal_cards_the_one_that_was_picked_is_marked(
    server: Server, browser: Browser, how: str
) -> None:
    page = open_page(browser, server.url, PHONE if how == "finger" else DESKTOP)
    table, card = ready_with_equal_cards(page, server)
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    twins = page.locator(f'[data-pick-card="{card}"]')

    def choose(nth: int) -> None:
        if how == "keys":
            twins.nth(nth).focus()
            page.keyboard.press("Space")
            return
        if how == "finger":
            page.locator("[data-tab~=hand]").tap()  # a pick leads on to the next panel
        touch(twins.nth(nth))

    def picked() -> list[int]:
        found = twins.evaluate_all("all => all.map((one) => one.matches('.picked'))")
        return [nth for nth, is_picked in enumerate(found) if is_picked]

    choose(1)
    assert picked() == [1]
    choose(0)
    assert picked() == [0]
    choose(1)
    assert picked() == [1]
    block = page.locator("[data-pick-block].can").first
    block.dispatch_event("click")
    page.locator("[data-pick-site].can").first.dispatch_event("click")
    if how == "finger":  # that has opened a city that is small
        page.locator(".city-box.large [data-pick-site].can").first.dispatch_event("click")
    assert picked() == [1]
    expect(page.locator(".ghost")).to_have_count(1)
    expect(page.locator("#confirm")).to_be_enabled()
    choose(1)
    assert picked() == []
    no_errors(page)


# --- setting up


def test_what_does_not_go_together_is_not_offered(server: Server, browser: Browser) -> None:
    page = open_page(browser, f"{server.url}/new/manhattan")
    long_rounds = page.get_by_label("Four rounds of six blocks")
    expect(long_rounds).to_be_enabled()
    long_rounds.check(force=True)
    page.get_by_label("2", exact=True).check(force=True)
    expect(long_rounds).to_be_disabled()
    expect(page.get_by_label("As usual")).to_be_checked()
    expect(page.locator("[data-option=rounds] [data-why]")).to_contain_text("Two players play six")


def test_who_has_chosen_enough_is_told_why_the_rest_is_grey(
    server: Server, browser: Browser
) -> None:
    page = open_page(browser, f"{server.url}/new/neoville")
    why = page.locator("[data-option=utilities] [data-why]")
    page.get_by_label("Buses").check(force=True)
    expect(why).to_be_hidden()
    page.get_by_label("Windmills").check(force=True)
    expect(page.get_by_label("Biospheres")).to_be_disabled()
    expect(why).to_have_text("At most 2: untick one to choose another.")
    page.get_by_label("Buses").uncheck(force=True)
    expect(page.get_by_label("Biospheres")).to_be_enabled()
    expect(why).to_be_hidden()


def test_a_request_is_titled_by_the_edition_that_is_chosen(
    server: Server, browser: Browser
) -> None:
    page = open_page(browser, f"{server.url}/new/cloud-city")
    titles = page.locator("[data-option=requests]")
    expect(titles).to_contain_text("Most valuable route")
    page.get_by_label("German edition").check(force=True)
    expect(titles).to_contain_text("Longest route")
    expect(titles).not_to_contain_text("Most valuable route")
    page.get_by_label("Dutch edition").check(force=True)
    expect(titles).to_contain_text("Most valuable route")
    expect(titles).not_to_contain_text("Longest route")


def test_a_refused_set_up_says_why_beside_the_form(server: Server, browser: Browser) -> None:
    page = open_page(browser, f"{server.url}/new/neoville")
    page.get_by_label("Buses").check(force=True)
    expect(page.get_by_label("At random")).not_to_be_checked()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#refusal")).to_contain_text("two different")
    page.get_by_label("Windmills").check(force=True)
    expect(page.locator("#refusal")).to_be_hidden()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/t/*")


@pytest.mark.parametrize("lang", ["en", "de", "nl"])
def test_every_option_and_value_has_words(server: Server, browser: Browser, lang: str) -> None:
    page = open_page(browser, f"{server.url}/lang/{lang}")
    for game in storeys.game_names():
        page.goto(f"{server.url}/new/{game}")
        labels = page.locator("[data-option] .pill").all_inner_texts()
        assert all(re.search(r"[a-z]{3}", label) for label in labels), labels
        assert all(label[0].isupper() for label in labels), labels
        for option in page.locator("[data-option]").all():
            assert len(option.locator(".hint").first.inner_text()) > 20
        others = page.locator("[data-field=kind] option[value^='bot:']").all_inner_texts()
        assert others
        assert all(" – " in bot for bot in others), others


@SIZES
def test_a_bots_level_is_chosen_by_a_slider(
    server: Server, browser: Browser, size: dict[str, int]
) -> None:
    page = open_page(browser, f"{server.url}/new/neoville", size)
    page.get_by_label("2", exact=True).check(force=True)
    slider = page.get_by_role("slider", name="Seat 2: Level of the bot")
    words = page.locator(".seat-row:not([hidden]) .strength:not([hidden]) .level-words")
    said = "Builder, level 5 of 7: looks at its whole turn"
    expect(slider).to_have_attribute("aria-valuetext", said)
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Foreman, level 4 of 7: "))
    expect(words).to_contain_text("Foreman level 4 of 7")
    page.keyboard.press("Home")
    expect(words).to_contain_text("Novice level 1 of 7")
    page.keyboard.press("End")
    expect(words).to_contain_text("Architect level 7 of 7")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/t/*")
    seats = state(page, server, page.url.rpartition("/")[2])["seats"]
    assert [(seat["bot"], seat["name"]) for seat in seats[1:]] == [("engineer", "Engineer")]
    no_errors(page)


def test_a_bot_that_is_no_level_is_chosen_by_its_name(server: Server, browser: Browser) -> None:
    page = open_page(browser, f"{server.url}/new/neoville")
    page.get_by_label("2", exact=True).check(force=True)
    slider = page.get_by_role("slider", name="Seat 2: Level of the bot")
    expect(slider).to_be_visible()
    page.locator("[data-seat='1'] select").select_option("bot:random")
    expect(slider).to_be_hidden()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/t/*")
    seats = state(page, server, page.url.rpartition("/")[2])["seats"]
    assert [seat["bot"] for seat in seats] == [None, "random"]


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("de", "Baumeister, Stufe 5 von 7: durchdenkt den ganzen Zug"),
        ("nl", "Bouwmeester, niveau 5 van 7: denkt over de hele beurt na"),
    ],
)
def test_a_level_is_told_in_every_language(
    server: Server, browser: Browser, lang: str, said: str
) -> None:
    page = open_page(browser, f"{server.url}/lang/{lang}")
    page.goto(f"{server.url}/new/manhattan")
    expect(page.get_by_role("slider").first).to_have_attribute("aria-valuetext", said)


# --- at the table


def test_a_bot_takes_over_and_gives_the_seat_back(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ME, {"kind": "friend"}])
    friend = open_page(browser, server.url + state(page, server, table)["seats"][1]["invite"])
    friend.locator("form button").click()
    friend.wait_for_url(f"**/t/{table}")
    page.goto(f"{server.url}/t/{table}")
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Let a bot take over").click()
    page.locator("#sure-yes").click()
    page.wait_for_function("() => document.querySelector('#banner button')")
    expect(page.locator("#banner")).to_contain_text("A bot is playing for Ada")
    page.get_by_role("button", name="Play on myself").click()
    expect(page.locator("#banner")).to_be_hidden()
    assert state(page, server, table)["seats"][0]["kind"] == "human"
    # A bot's move may cross the post; the page then posts again.
    assert all("409" in error for error in ERRORS[page])


def test_resigning_is_asked_for_twice(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "manhattan", [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Resign").click()
    page.locator("#sure").get_by_role("button", name="Cancel").click()
    assert not state(page, server, table)["seats"][0]["resigned"]
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Resign").click()
    page.locator("#sure-yes").click()
    expect(page.locator(".seat.resigned")).to_be_visible()
    expect(page.locator("#actions")).to_be_hidden()
    no_errors(page)


def test_a_rename_and_a_seat_that_moves_to_a_phone(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "cloud-city", [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Links and names").click()
    page.locator("#invites form input[type=text]").fill("Grace")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator(".seat.mine")).to_contain_text("Grace")
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Links and names").click()
    page.get_by_role("button", name="Make a link for Grace").click()
    link = page.locator("#invites input[aria-label=Grace]").input_value()
    phone = open_page(browser, link, PHONE)
    phone.locator("form button").click()
    phone.wait_for_url(f"**/t/{table}")
    expect(phone.locator("#actions")).to_be_visible()
    expect(page.locator("#actions")).to_be_hidden()  # who watches has nothing to do
    no_errors(phone)


def test_a_finished_match_is_replayed_by_keys_and_scrubber(
    server: Server, browser: Browser, finished: Finished, tmp_path: Path
) -> None:
    page = finished.open(browser)
    record = page.request.get(f"{server.url}/api/tables/{finished.table}/record").json()
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record), "utf-8")
    page.goto(f"{server.url}/replay")
    page.locator("#file").set_input_files(file)
    page.wait_for_url("**/t/*")
    page.wait_for_function(SEEN, arg=0)
    last = int(page.locator("#ply").inner_text().split(" / ")[1])
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#ply")).to_have_text(f"{last - 1} / {last}")
    page.locator("#scrubber").fill("3")
    expect(page.locator("#ply")).to_have_text(f"3 / {last}")
    page.locator("#scrubber").blur()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#ply")).to_have_text(f"4 / {last}")
    page.locator("#log button").nth(8).click()
    expect(page.locator("#ply")).to_have_text(f"9 / {last}")
    expect(page.locator("#log [aria-current]")).to_have_attribute("data-ply", "9")
    page.locator("#run").click()
    expect(page.locator("#ply")).to_have_text(f"11 / {last}")
    page.locator("#run").click()
    no_errors(page)


def test_watching_a_match_again_plays_its_moves(browser: Browser, finished: Finished) -> None:
    page = finished.open(browser)
    page.locator("#open-menu").click()
    page.locator("#menu-items").get_by_role("button", name="Score sheet").click()
    page.get_by_role("button", name="Watch it again").click()
    expect(page.locator("#sheet")).to_be_hidden()
    expect(page.locator("#ply")).to_have_text(re.compile("^3 / "))
    expect(page.locator("#run")).to_have_attribute("aria-pressed", "true")
    page.locator("#run").click()
    expect(page.locator("#run")).to_have_attribute("aria-pressed", "false")
    no_errors(page)


LIT = """
(lit) => [...document.querySelectorAll("#cities .area")].flatMap((area) =>
  [...area.querySelectorAll(`rect[stroke="${lit}"]`)].map((frame) => {
    const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
    const [x, y] = middle(frame.getBoundingClientRect());
    const sites = [...area.querySelectorAll("[data-pick-site], [role=img][transform]")];
    const under = (box) => box.x < x && x < box.right && box.y < y && y < box.bottom;
    return sites.find((one) => under(one.getBoundingClientRect())).getAttribute("aria-label");
  }))
"""
"""What the lit sites are called."""
MAJORITIES = Path(__file__).parent.parent / "golden" / "manhattan-v1-2-shared-auto.json"
"""A match in which the first seat has majorities before the last round."""


def test_a_part_of_an_earlier_round_is_shown_on_the_board_of_that_round(
    server: Server, browser: Browser
) -> None:
    page = open_page(browser, server.url)
    record = json.loads(MAJORITIES.read_text("utf-8"))["record"]
    answer = page.request.post(f"{server.url}/api/replays", data=record)
    table = answer.json()["table"]
    page.goto(f"{server.url}/t/{table}")
    page.locator(".score summary").first.click()
    parts = state(page, server, table)["scores"][0]["parts"]
    rounds = [part["label"].partition(":")[0] for part in parts]
    for rule in ("M-17", "M-18"):
        earlier = [n for n, part in enumerate(parts) if part["rule"] == rule]
        nth = next(n for n in earlier if rounds[n] != rounds[-1])
        part = parts[nth]
        page.locator("button.part").nth(nth).click()
        expect(page.locator("button.part").nth(nth)).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#prompt")).to_contain_text(f"when {rounds[nth]} was scored")
        expect(page.locator("#prompt")).to_contain_text(part["label"])
        lit = page.evaluate(LIT, THEMES["light"].lit)
        assert len(lit) == len(part["highlight"])
        # Two players have two colours each: the first majority may be of the second one.
        (owner,) = {re.findall(r"(\w+) owns a tower", words)[0] for words in lit}
        if rule == "M-18":
            assert part["points"] == len(lit)
            assert f"{owner} tower" in part["label"]
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator("#skip")).to_be_hidden()
    assert page.evaluate(LIT, THEMES["light"].lit) == []
    no_errors(page)


def test_a_part_of_a_score_lights_up_what_it_counts(browser: Browser, finished: Finished) -> None:
    page = finished.open(browser)
    before = page.locator("#cities").inner_html()
    page.locator(".score summary").first.click()
    page.locator("button.part").first.click()
    expect(page.locator("button.part").first).to_have_attribute("aria-pressed", "true")
    page.wait_for_function(
        "html => document.querySelector('#cities').innerHTML !== html", arg=before
    )
    page.keyboard.press("Escape")
    expect(page.locator("button.part").first).to_have_attribute("aria-pressed", "false")


def test_a_rematch_takes_everybody_along(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = finish(page, server, "neoville")
    page.goto(f"{server.url}/t/{table}")
    watcher = open_page(browser, f"{server.url}/t/{table}")
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: "/t/" in url and table not in url)
    expect(watcher.get_by_role("link", name="Go there")).to_be_visible()
    expect(page.locator(".can").first).to_be_visible()


def test_picking_leads_back_to_ones_own_city(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, PHONE)
    table = new_table(page, server, "cloud-city", [ME, BOT])
    wait_for_turn(page, server, table)
    page.goto(f"{server.url}/t/{table}")
    back, own = page.locator("#own-city"), page.locator(".seat.mine")
    expect(back).to_be_hidden()
    page.locator(".seat").nth(1).click()
    back.click()
    expect(own).to_have_attribute("aria-pressed", "true")
    page.locator(".seat").nth(1).click()
    expect(own).to_have_attribute("aria-pressed", "false")
    page.locator("#panels .can").first.click(force=True)
    expect(own).to_have_attribute("aria-pressed", "true")
    expect(back).to_be_hidden()
    expect(page.locator(".city-box.large .can").first).to_be_visible()


def test_a_place_that_is_the_only_one_is_seen_in_plan(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ME, BOT])
    now = play_by_post(page, server, table, 1)
    for _ in range(60):
        pieces = [choice["picks"].get("piece") for choice in now["choices"]]
        single = next((piece for piece in pieces if piece and pieces.count(piece) == 1), None)
        if single or now["status"] == "over":
            break
        now = play_by_post(page, server, table, 1)
    assert single
    page.goto(f"{server.url}/t/{table}")
    page.locator("#view-skyline").click()
    expect(page.locator("#view-skyline")).to_have_attribute("aria-pressed", "true")
    page.locator(f'[data-pick-piece="{single}"]').first.click(force=True)
    expect(page.locator("#view-plan")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".ghost")).to_be_visible()


def test_the_skyline_is_kept_within_a_match(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    first, second = (new_table(page, server, "neoville", [ME, BOT]) for _ in range(2))
    page.goto(f"{server.url}/t/{first}")
    page.locator("#view-skyline").click()
    expect(page.locator("#view-skyline")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.locator("#view-skyline")).to_have_attribute("aria-pressed", "true")
    page.goto(f"{server.url}/t/{second}")
    expect(page.locator("#view-plan")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("game", storeys.game_names())
def test_a_phone_held_across_shows_board_and_panels_side_by_side(
    server: Server, browser: Browser, game: str
) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, game, [ME, BOT, BOT])
    wait_for_turn(page, server, table)
    page.goto(f"{server.url}/t/{table}")
    for width, height in ((844, 390), (932, 430)):
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator("#actions")).to_be_visible()
        expect(page.get_by_role("tab", name="Log")).to_be_visible()
        boxes = [page.locator(part).bounding_box() for part in ("#board", "#side", "#actions")]
        board, side, actions = (box for box in boxes if box)
        assert board["x"] + board["width"] <= side["x"] + 1
        assert board["height"] > 180
        assert max(board["y"] + board["height"], side["y"] + side["height"]) <= actions["y"] + 1


def test_names_that_begin_alike_differ_on_a_phone(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, PHONE)
    names = ["Builder", "Builder 2", "Builder 3"]
    table = new_table(page, server, "neoville", [ME, *[BOT | {"name": name} for name in names]])
    page.goto(f"{server.url}/t/{table}")
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1 || "
    cut += "one.scrollHeight > one.clientHeight + 1).map((one) => one.textContent)"
    assert page.locator(".seat .name").evaluate_all(cut) == []


def test_a_bot_sits_down_where_nobody_came(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ME, {"kind": "friend"}, {"kind": "friend"}])
    page.goto(f"{server.url}/t/{table}")
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Seat 2: let a bot sit there").click()
    expect(page.locator("#banner")).not_to_contain_text("Seat 2")
    page.locator("#open-menu").click()
    page.get_by_role("button", name="Links and names").click()
    expect(page.locator("#invites")).to_contain_text("only on this machine")
    page.locator("#invites").get_by_role("button", name="Seat 3: let a bot sit there").click()
    expect(page.locator("#banner")).to_be_hidden()
    kinds = [seat["kind"] for seat in state(page, server, table)["seats"]]
    assert kinds == ["human", "bot", "bot"]


def test_a_link_is_copied_without_the_newer_clipboard(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    table = new_table(page, server, "neoville", [ME, {"kind": "friend"}])
    page.goto(f"{server.url}/t/{table}")
    page.locator("#banner").get_by_role("button", name="Copy").click()
    expect(page.locator(".toast")).to_contain_text("Copied")
    page.evaluate("document.execCommand = () => false")
    page.locator("#banner").get_by_role("button", name="Copy").click()
    expect(page.locator(".toast.bad")).to_contain_text("Select the link")


def test_a_lost_connection_is_told_and_comes_back(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    page.route("**/api/tables/**", lambda route: route.abort())
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(page.locator("#prompt")).to_contain_text("No connection")
    page.unroute("**/api/tables/**")
    expect(page.locator("#prompt")).not_to_contain_text("No connection")


def test_earlier_positions_tell_their_move_and_crown_nobody(
    server: Server, browser: Browser, finished: Finished
) -> None:
    page = finished.open(browser)
    expect(page.locator(".seat .crown")).not_to_have_count(0)
    third = state(page, server, finished.table)["log"][2]["text"]
    page.locator("#scrubber").fill("3")
    expect(page.locator("#prompt")).to_contain_text("Move 3 of")
    expect(page.locator("#prompt")).to_contain_text(third)
    expect(page.locator(".crown")).to_have_count(0)
    page.locator("#open-menu").click()
    page.locator("#menu-items").get_by_role("button", name="Score sheet").click()
    expect(page.locator("#sheet summary")).to_have_count(2)
    expect(page.locator("#sheet summary .crown")).not_to_have_count(0)
    expect(page.locator("#sheet details[open]")).to_have_count(1)


def test_the_log_of_a_phone_opens_at_its_newest_entry(browser: Browser, finished: Finished) -> None:
    page = finished.open(browser, PHONE)
    page.get_by_role("tab", name="Log").click()
    expect(page.locator("#log li").last).to_be_in_viewport()


def test_a_turn_begins_with_what_is_put_somewhere(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url, PHONE)
    table = new_table(page, server, "neoville", [ME, BOT])
    now = wait_for_turn(page, server, table)
    for _ in range(60):
        if any("piece" in choice["picks"] for choice in now["choices"]):
            break
        now = play_by_post(page, server, table, 1)
    page.goto(f"{server.url}/t/{table}")
    expect(page.locator("[role=tab][aria-selected=true]")).to_have_text("Supply")


# --- colours and languages


def test_the_theme_holds_from_the_first_picture_on(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    light = page.locator(".game-picture img:visible").first.get_attribute("src")
    page.get_by_role("button", name="Dark").click()
    dark = page.locator(".game-picture img:visible").first.get_attribute("src")
    assert light != dark
    table = new_table(page, server, "neoville", [ME, BOT])
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server.url}/t/{table}")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    first = json.loads(page.locator("#state").text_content() or "{}")
    assert first["theme"] == "dark"


def test_the_language_holds(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.url)
    page.get_by_role("link", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    table = new_table(page, server, "neoville", [ME, BOT])
    page.goto(f"{server.url}/t/{table}")
    expect(page.locator("#view-plan")).to_have_text("Plan")
    expect(page.locator("#confirm")).to_have_text("Bestätigen")
