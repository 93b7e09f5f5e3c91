// The names of the files that an input holds, as its page sees them; after its next change, or `wait` ms at most.
async (lib, control, wait) => {
  if (wait) await Promise.race([lib.changed, new Promise((resolve) => setTimeout(resolve, wait))]);
  return [...control.files].map((file) => file.name);
}
