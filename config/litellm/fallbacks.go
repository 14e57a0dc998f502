package litellm

import "slices"

// anyGroup names the fallbacks of every group that has none of its own.
const anyGroup = "*"

// resolveAliases gives each group the names that clients may use instead of its own.
func (c *conversion) resolveAliases() {
	taken := map[string]bool{}
	for _, a := range c.settings.aliases {
		switch g := c.byName[a.of]; {
		case g == nil:
			c.addf(a.path, "stands for a model that isn't carried over")
		case c.byName[a.name] != nil || taken[a.name]:
			c.addf(a.path, "is left out: the name is taken")
		case !nameable(a.name) || a.name == "":
			c.addf(a.path, "is no name that can be used")
		default:
			taken[a.name] = true
			g.aliases = append(g.aliases, a.name)
		}
	}
	if m := c.settings.model; m != "" && c.byName[m] == nil && !taken[m] {
		c.addf("general_settings.completion_model", "is a model that isn't carried over")
		c.settings.model = ""
	}
}

// grouped finds the group that a name or an alias stands for.
func (c *conversion) grouped(name string) *group {
	if g := c.byName[name]; g != nil {
		return g
	}
	for _, g := range c.groups {
		if slices.Contains(g.aliases, name) {
			return g
		}
	}
	return nil
}

// place is what a fallback's name stands for: a group, or one deployment of it, by its id.
type place struct {
	group      *group
	deployment *deployment
	onlyOn     string
}

func (c *conversion) place(name string) (p place, found bool) {
	if g := c.grouped(name); g != nil {
		return place{group: g}, true
	}
	for _, g := range c.groups {
		for _, d := range g.deployments {
			if d.id == name && name != "" {
				return place{group: g, deployment: d}, true
			}
		}
	}
	return place{}, false
}

// checkFallbacks notes what fallbacks name and isn't there, once for each place.
func (c *conversion) checkFallbacks() {
	for _, list := range [][]fallback{c.settings.fallbacks, c.settings.tooLong, c.settings.refused} {
		for _, f := range list {
			if f.from != anyGroup && c.grouped(f.from) == nil {
				c.addf(f.path, "is the fallback of a model that isn't carried over")
				continue
			}
			for _, to := range f.to {
				if _, found := c.place(to); !found {
					c.addf(f.path, "names %q, which isn't carried over", to)
				}
			}
		}
	}
	for _, to := range c.settings.last {
		if _, found := c.place(to); !found {
			c.addf("default_fallbacks", "names %q, which isn't carried over", to)
		}
	}
}

// places are the fallbacks of each sort that a group has.
func (c *conversion) places(g *group) (places []place) {
	own := func(list []fallback) []string {
		general := slices.IndexFunc(list, func(f fallback) bool { return f.from == anyGroup })
		if i := slices.IndexFunc(list, func(f fallback) bool { return c.grouped(f.from) == g }); i >= 0 {
			return list[i].to
		} else if general >= 0 {
			return list[general].to
		}
		return nil
	}
	add := func(names []string, onlyOn string) {
		for _, name := range names {
			if p, found := c.place(name); found && (p.group != g || p.deployment != nil) {
				p.onlyOn = onlyOn
				places = append(places, p)
			}
		}
	}
	if names := own(c.settings.fallbacks); names != nil {
		add(names, "")
	} else {
		add(c.settings.last, "")
	}
	add(own(c.settings.tooLong), "context_length")
	add(own(c.settings.refused), "content_policy")
	return places
}

// behind are the targets that stand behind a group's own. One that is asked after any failure needs no second place.
func (c *conversion) behind(g *group) (targets []target) {
	for _, p := range c.places(g) {
		t := c.pool(p.group)
		if p.deployment != nil {
			t = target{provider: p.deployment.provider.id, model: p.deployment.model}
		}
		always := t
		t.onlyOn = p.onlyOn
		if !slices.Contains(targets, always) && !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	return targets
}
