// The nth element that has to be clicked for what `popup_wait` found.
(lib, nth) => (lib.choices[nth] && lib.choices[nth].deref()) || null
