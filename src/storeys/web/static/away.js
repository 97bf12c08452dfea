// The server is away: look now and then whether it is back, and go on then.

async function look() {
  try {
    const answer = await fetch("/healthz", { cache: "no-store" });
    if (answer.ok && location.pathname !== "/away") return location.reload();
  } catch {
    // It is still away.
  }
  setTimeout(look, 3000);
}

look();
