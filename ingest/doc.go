// Package ingest reads captures: Open takes folders, files, archives or a
// stream and gives the capture model with every file in its inventory.
//
// The way of a file: package source lists it and gives its bytes, the formats
// of the table in formats.go say by content whose it is, the surest reads it,
// and package join makes runs of what the readers found. Reading files is
// concurrent; what comes out is in the order of paths, whatever the machine.
//
// A file that cannot be read, or not to its end, is a row of the inventory
// with the reason, never an error. Out of scope: what any of it means.
package ingest
