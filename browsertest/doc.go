// Package browsertest looks at the pages of coldcase in a real browser. It is a
// module of its own, so that nobody who builds coldcase downloads a browser
// driver.
//
// The tests build the command, let it write the report of every sample in every
// mode, and open each with scripts on and off, in both colour schemes, wide and
// narrow, and in print. They skip, and say why, where no Chromium is found;
// COLDCASE_CHROMIUM names one that is elsewhere.
package browsertest
