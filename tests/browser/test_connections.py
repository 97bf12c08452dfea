"""What holds a page and the server together: the stream, its loss, several tabs, a sleep."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.helpers import (
    OFFLINE,
    PHONE,
    SEEN,
    Server,
    eventually,
    new_table,
    no_errors,
    open_page,
    open_tab,
    play_move,
    play_own_moves,
    state,
)

ADA, FRIEND = {"kind": "me", "name": "Ada"}, {"kind": "friend"}


def two_people(browser: Browser, server: Server) -> tuple[Page, Page, str]:
    """Ada at a desk and Ben with his phone, at one table of Cloud City."""
    ada = open_page(browser, server.url)
    table = new_table(ada, server, "cloud-city", [ADA, FRIEND])
    ada.goto(f"{server.url}/t/{table}")
    invite = state(ada, server, table)["seats"][1]["invite"]
    ben = open_page(browser, server.url + invite, PHONE)
    ben.locator("input[name=name]").fill("Ben")
    ben.locator("form button").click()
    ben.wait_for_url(f"**/t/{table}")
    return ada, ben, table


def test_a_page_finds_the_server_again_after_it_was_killed(
    server: Server, browser: Browser
) -> None:
    """In the middle of a turn, and without loading the page again."""
    page = open_page(browser, server.url)
    seats = [ADA, {"kind": "bot", "bot": "random"}]
    table = new_table(page, server, "neoville", seats)
    page.goto(f"{server.url}/t/{table}")
    play_move(page)  # the tile lies, and nothing is built or drawn yet
    page.wait_for_function(SEEN, arg=1)
    server.kill()
    page.wait_for_function(OFFLINE)
    server.start()
    assert state(page, server, table)["seq"] == 1
    play_move(page)
    page.wait_for_function(SEEN, arg=2)
    page.wait_for_function("() => !document.body.classList.contains('offline')")


def test_a_press_counts_though_a_state_comes_before_it_ends(
    server: Server, browser: Browser
) -> None:
    """What is pressed stays where it is, as long as it looks the same."""
    page = open_page(browser, server.url)
    table = new_table(page, server, "cloud-city", [ADA])
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_function(SEEN, arg=0)
    tile = page.locator("[data-pick-tile].can").first
    box = tile.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.evaluate("delete document.documentElement.dataset.seq")  # it is told when a state is shown
    page.evaluate("window.dispatchEvent(new Event('online'))")  # the page asks again
    page.wait_for_function(SEEN, arg=0)
    page.mouse.up()
    page.wait_for_selector("[data-pick-tile].picked")
    no_errors(page)


def test_a_phone_that_slept_asks_again(server: Server, browser: Browser) -> None:
    ada, ben, table = two_people(browser, server)
    ben.context.set_offline(True)
    seq = play_own_moves(ada, server, table)
    ben.wait_for_function(OFFLINE)
    assert not ben.evaluate(SEEN, seq)
    ben.context.set_offline(False)
    ben.wait_for_function(SEEN, arg=seq)
    play_own_moves(ben, server, table)
    no_errors(ada)


def is_stream(url: str, tables: list[str]) -> bool:
    """Whether an address is that of a stream in which some tables are told of."""
    return "/api/stream?" in url and all(table in url for table in tables)


def test_all_tabs_of_a_browser_share_one_stream(server: Server, browser: Browser) -> None:
    """Two tables in two tabs; when the tab that holds the stream goes, the other takes it on."""
    first = open_page(browser, server.url)
    before = server.figure("storeys_streams")
    seats = [{"kind": "here", "name": "Ada"}, {"kind": "here", "name": "Ben"}]
    tables = [new_table(first, server, "neoville", seats) for _ in range(2)]
    with first.expect_request(lambda request: is_stream(request.url, tables[:1])):
        first.goto(f"{server.url}/t/{tables[0]}")
    second, asked = first.context.new_page(), []
    second.on("request", lambda request: asked.append(request.url))
    with first.expect_request(lambda request: is_stream(request.url, tables)):
        open_tab(second, f"{server.url}/t/{tables[1]}")
    second.locator("#lift").click()
    expect(second.locator("#curtain")).to_be_hidden()
    eventually(lambda: server.figure("storeys_streams") - before == 1)
    assert not [url for url in asked if is_stream(url, [])]
    with second.expect_request(lambda request: is_stream(request.url, tables[1:])):
        first.close()
    rename = {"kind": "rename", "seat": 0, "seq": 0, "id": "rename-from-elsewhere", "name": "Zoe"}
    answer = second.request.post(f"{server.url}/api/tables/{tables[1]}/events", data=rename)
    assert answer.ok, answer.text()
    second.wait_for_function(SEEN, arg=1)
    no_errors(second)


def test_a_spectator_only_looks(server: Server, browser: Browser) -> None:
    ada, _, table = two_people(browser, server)
    eve = open_page(browser, f"{server.url}/t/{table}")
    seq = play_own_moves(ada, server, table)
    eve.wait_for_function(SEEN, arg=seq)
    assert eve.locator(".can").count() == 0
    assert not eve.locator("#confirm").is_visible()
    eve.locator("#open-menu").click()
    for name in ("Resign", "Let a bot take over", "Rematch"):
        expect(eve.get_by_role("button", name=name)).to_have_count(0)
    seen = state(eve, server, table)
    assert (seen["choices"], seen["mine"], seen["links"]["record"]) == ([], [], None)
    post = {"kind": "resign", "seat": 0, "seq": seen["seq"], "id": "not-my-own-seat"}
    answer = eve.request.post(f"{server.url}/api/tables/{table}/events", data=post)
    assert answer.status == 403
    no_errors(eve)


def test_a_late_move_is_refused_and_the_page_says_why(server: Server, browser: Browser) -> None:
    """The same seat in two tabs that do not hear of each other: the second post comes late."""
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ADA, {"kind": "bot", "bot": "random"}])
    page.route("**/api/stream*", lambda route: route.abort())
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    move = state(page, server, table)["choices"][0]["move"]
    post = {"kind": "move", "seat": 0, "seq": 0, "id": "the-first-of-two", "move": move}
    assert page.request.post(f"{server.url}/api/tables/{table}/events", data=post).ok
    play_move(page)
    expect(page.get_by_text("something has happened at the table meanwhile")).to_be_visible()
    page.wait_for_function(SEEN, arg=1)


SEEN_OR_TOLD = f"seq => ({SEEN})(seq) || document.body.innerText.includes('not now')"


def test_a_move_that_cannot_be_kept_now_is_posted_again(server: Server, browser: Browser) -> None:
    """The page waits for as long as the server says, and whoever plays notices nothing."""
    page = open_page(browser, server.url)
    table = new_table(page, server, "neoville", [ADA, {"kind": "bot", "bot": "random"}])
    page.goto(f"{server.url}/t/{table}")
    page.wait_for_selector(".can")
    refused = {"status": 503, "headers": {"Retry-After": "1"}, "json": {"error": "not now"}}
    page.route("**/api/tables/*/events?*", lambda route: route.fulfill(**refused), times=1)
    posts: list[tuple[int, str | None]] = []
    page.on("response", lambda answer: posts.append((answer.status, answer.request.post_data)))
    play_move(page)
    page.wait_for_function(SEEN_OR_TOLD, arg=1)
    assert not page.get_by_text("not now").count()
    (first, sent), (second, again) = [one for one in posts if one[1]]
    assert (first, second, again) == (503, 200, sent)  # By its id it would count once.
    assert state(page, server, table)["seq"] == 1


def test_a_move_is_one_round_trip(server: Server, browser: Browser) -> None:
    """The answer to a post has the state: nothing is asked for after it, nor at its echo."""
    page = open_page(browser, server.url)
    watching = server.figure("storeys_streams")
    seats = [{"kind": "here", "name": "Ada"}, {"kind": "here", "name": "Ben"}]
    table = new_table(page, server, "neoville", seats)
    page.goto(f"{server.url}/t/{table}")
    page.locator("#lift").click()
    page.wait_for_selector(".can")
    eventually(lambda: server.figure("storeys_streams") > watching)
    page.evaluate(HEAR_NEWS)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    play_move(page)
    page.wait_for_function(SEEN, arg=1)
    page.wait_for_function("() => window.heard >= 1")
    play_move(page)
    page.wait_for_function(SEEN, arg=2)
    page.wait_for_function("() => window.heard >= 2")
    api = [one.partition("?")[0] for one in asked if "/api/" in one]
    assert api == [f"POST {server.url}/api/tables/{table}/events"] * 2
    no_errors(page)


HEAR_NEWS = """
() => {
  window.heard = 0;
  const source = new EventSource("/api/stream?tables=" + location.pathname.split("/").pop());
  source.addEventListener("table", (event) => (window.heard = JSON.parse(event.data).seq));
  return new Promise((opened) => source.addEventListener("open", opened));
}
"""
"""A second stream: what has come on it has been sent on the page's own."""
