// A text for ourselves, under the rules that hold for the page. Returns [text, null] or [null, why there is none].
async (lib, url) => {
  try {
    const response = await fetch(url, {credentials: 'include', redirect: 'error'});
    return response.ok ? [await response.text(), null] : [null, `status ${response.status}`];
  } catch (error) {
    return [null, String(error)];
  }
}
