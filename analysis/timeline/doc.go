// Package timeline puts what a capture holds into time: server lives, the
// order in which runs ran, and the place of each run on a server log.
//
// A capture rarely says which log lines belong to which run. A log is cut into
// cells at the marks that clients leave (model look-ups at their start, a
// server_info or metrics read at their end), cells are matched with runs by
// the number of requests, their tokens and the client's duration, and every
// placement that fits is kept: an honest interval beats a guess. What no run
// claims is left for windows.
//
// Nothing here counts hits; package carryover does.
package timeline
