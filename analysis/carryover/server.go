package carryover

import (
	"strconv"
	"strings"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// serverOf merges the server's settings, the surest source first: the start
// line of the life in which the run stands, the info that the client read, the
// metrics, a server_info file, the command that started it, a stated fact.
func serverOf(c *capture.Capture, r *capture.Run, places []*timeline.Place) capture.ServerInfo {
	var s capture.ServerInfo
	if len(places) > 0 {
		same := true
		for _, p := range places[1:] {
			same = same && p.Track == places[0].Track && p.Life == places[0].Life
		}
		if same {
			merge(&s, &places[0].Track.Lives[places[0].Life].Info)
			fill(&s.Version, places[0].Track.Log.Version)
			fill(&s.Engine, places[0].Track.Log.Engine)
		}
	}
	merge(&s, r.Merged.Server)
	for _, snap := range []*capture.Snapshot{r.Before, r.After} {
		if snap != nil {
			merge(&s, snap.Settings())
		}
	}
	merge(&s, agreed(infosOf(c, r)))
	merge(&s, onlyServer(c, r))
	fill(&s.Version, r.Merged.EngineVersion)
	fill(&s.Engine, r.Merged.Engine)
	if s.PageSize == nil {
		s.PageSize = c.Notes.PageSize
	}
	fill(&s.Engine, c.Notes.Engine)
	return s
}

// keepsBeyond reports whether the server has a tier that neither a flush nor a
// restart clears: a storage backend, a connector, an offload store.
func keepsBeyond(s *capture.ServerInfo) bool {
	for _, name := range []string{"hicache_storage_backend", "enable_lmcache", "enable_flexkv", "kv_transfer_config", "kv_connector"} {
		if v, ok := s.Args[name]; ok && v != nil && v != false && v != "" {
			return true
		}
	}
	return strings.Contains(s.CacheKind, "lmcache") || strings.Contains(s.CacheKind, "flexkv")
}

// infosOf lists the server_info answers that lie in the run's capture.
func infosOf(c *capture.Capture, r *capture.Run) []*capture.ServerInfo {
	var found []*capture.ServerInfo
	for _, info := range c.Infos {
		if info.Capture == r.Capture && sameEngine(info.Engine, r.Merged.Engine) {
			found = append(found, info)
		}
	}
	return found
}

// onlyServer is the server that the capture's logs describe, else the one that
// its commands start.
func onlyServer(c *capture.Capture, r *capture.Run) *capture.ServerInfo {
	var found []*capture.ServerInfo
	for _, log := range c.Logs {
		for i := range log.Starts {
			if log.Capture == r.Capture && sameEngine(log.Engine, r.Merged.Engine) {
				found = append(found, &log.Starts[i].Info)
			}
		}
	}
	if len(found) > 0 {
		return agreed(found)
	}
	for _, cmd := range c.Commands {
		if cmd.Server != nil && cmd.Capture == r.Capture && sameEngine(cmd.Server.Engine, r.Merged.Engine) {
			found = append(found, cmd.Server)
		}
	}
	return agreed(found)
}

// agreed is the first of several descriptions if they agree on what the count
// needs, else nil: nothing then says which of the servers served the run.
func agreed(found []*capture.ServerInfo) *capture.ServerInfo {
	if len(found) == 0 {
		return nil
	}
	for _, f := range found[1:] {
		if !sameInt(f.PageSize, found[0].PageSize) || !sameBool(f.PrefixCache, found[0].PrefixCache) || f.CacheKind != found[0].CacheKind {
			return nil
		}
	}
	return found[0]
}

func sameEngine(a, b string) bool { return a == "" || b == "" || a == b }

func sameInt(a, b *int) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

func sameBool(a, b *bool) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// merge fills what s leaves open from o.
func merge(s, o *capture.ServerInfo) {
	if o == nil {
		return
	}
	if s.At.File == "" {
		s.At = o.At
	}
	fill(&s.Engine, o.Engine)
	fill(&s.Version, o.Version)
	fill(&s.Model, o.Model)
	fill(&s.Policy, o.Policy)
	fill(&s.CacheKind, o.CacheKind)
	fillp(&s.PageSize, o.PageSize)
	fillp(&s.HitAlignment, o.HitAlignment)
	fillp(&s.PrefixCache, o.PrefixCache)
	fillp(&s.PoolTokens, o.PoolTokens)
	fillp(&s.ChunkedSize, o.ChunkedSize)
	fillp(&s.DPSize, o.DPSize)
	fillp(&s.TPSize, o.TPSize)
	fillp(&s.PPSize, o.PPSize)
	fillp(&s.CacheReport, o.CacheReport)
	fillp(&s.Metrics, o.Metrics)
	fillp(&s.DevMode, o.DevMode)
	if s.Args == nil {
		s.Args = o.Args
	}
}

func fill(dst *string, v string) {
	if *dst == "" {
		*dst = v
	}
}

func fillp[T any](dst **T, v *T) {
	if *dst == nil {
		*dst = v
	}
}

// versionAtLeast compares a dotted version ("0.5.20", "v0.5.4.post1") with
// numbers; an unknown version is not at least anything.
func versionAtLeast(version string, want ...int) bool {
	version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	if version == "" {
		return false
	}
	parts := strings.FieldsFunc(version, func(r rune) bool { return r == '.' || r == '+' || r == '-' })
	for i, w := range want {
		if i >= len(parts) {
			return false
		}
		n, err := strconv.Atoi(strings.TrimRight(parts[i], "abcdefghijklmnopqrstuvwxyz"))
		if err != nil {
			return false
		}
		if n != w {
			return n > w
		}
	}
	return true
}
