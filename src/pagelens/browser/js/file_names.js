// The names of the files that an input holds, as its page sees them.
(lib, control) => [...control.files].map((file) => file.name)
