// Calls a predicate of the caller's, in the page's own world, in every frame until it holds or `ms` are over:
// {holds, value} with the value in a few words, or {threw} with what it threw last.
(predicate, ms) => {
  const words = (value) => {
    try {
      const text = typeof value === "string" ? JSON.stringify(value) : String(value);
      return text.length > 100 ? text.slice(0, 99) + "…" : text;
    } catch {
      return typeof value;
    }
  };
  return new Promise((resolve) => {
    const end = Date.now() + ms;
    const look = async () => {
      let answer;
      try {
        const value = await predicate();
        answer = { holds: Boolean(value), value: words(value) };
      } catch (error) {
        answer = { holds: false, threw: words(error) };
      }
      if (answer.holds || Date.now() >= end) {
        resolve(answer);
        return;
      }
      let isDue = true;
      const again = () => {
        if (isDue) look();
        isDue = false;
      };
      requestAnimationFrame(again);
      setTimeout(again, 100); // a page that is not drawn has no frames
    };
    look();
  });
}
