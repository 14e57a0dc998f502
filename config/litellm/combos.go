package litellm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// comboDocument is a combo as it will be written.
type comboDocument struct {
	name, strategy string
	aliases        []string
	targets        []target
	sameTarget     int
	maxRetries     int // -1: not set
}

// target is a place in a combo.
type target struct {
	provider, model, combo string
	weight                 int // 0: not written
	onlyOn                 string
}

// pool is what stands for a group as a fallback of another: its only target, or the combo that has just its
// deployments. A group's own fallbacks aren't followed from there, so that combos can't name each other in a circle.
func (c *conversion) pool(g *group) target {
	if len(g.deployments) == 1 {
		d := g.deployments[0]
		return target{provider: d.provider.id, model: d.model}
	}
	if c.needsPool(g) {
		return target{combo: c.poolName(g)}
	}
	return target{combo: g.name}
}

// needsPool tells whether a group of several deployments has fallbacks behind it.
func (c *conversion) needsPool(g *group) bool {
	return len(g.deployments) > 1 && len(c.places(g)) > 0
}

// poolName is a name that nobody else has.
func (c *conversion) poolName(g *group) string {
	name := g.name + ":deployments"
	for i := 1; c.grouped(name) != nil || !nameable(name); i++ {
		name = fmt.Sprintf("deployments-%d-%d", slices.Index(c.groups, g)+1, i)
	}
	return name
}

// combos makes one combo of each group, and one more where fallbacks stand behind several deployments.
func (c *conversion) combos() (all []comboDocument) {
	c.resolveAliases()
	c.checkFallbacks()
	for _, g := range c.groups {
		behind := c.behind(g)
		d := comboDocument{name: g.name, aliases: g.aliases, maxRetries: -1}
		if !c.needsPool(g) {
			d.strategy, d.targets = c.order(g)
			if len(behind) > 0 {
				d.strategy = ""
			}
		} else {
			pool := comboDocument{name: c.poolName(g), maxRetries: -1}
			pool.strategy, pool.targets = c.order(g)
			all = append(all, pool)
			d.targets = []target{{combo: pool.name}}
		}
		d.targets = append(d.targets, behind...)
		if n := c.settings.retries; n >= 0 {
			d.sameTarget = (n+len(g.deployments))/len(g.deployments) - 1
			if len(behind) == 0 {
				d.maxRetries = n
			}
		}
		all = append(all, d)
	}
	return all
}

// order is the strategy and the targets of a group's deployments.
func (c *conversion) order(g *group) (strategy string, targets []target) {
	list := slices.Clone(g.deployments)
	if slices.ContainsFunc(list, func(d *deployment) bool { return d.ordered }) {
		slices.SortStableFunc(list, func(a, b *deployment) int { return cmp.Compare(a.order, b.order) })
		for i := 1; i < len(list); i++ {
			if list[i].order == list[i-1].order {
				c.addf(list[i].path, "has the order of another: they are asked one after the other, as listed")
			}
		}
	} else if len(list) > 1 {
		strategy = cmp.Or(c.settings.strategy, "random")
	}
	weights := c.weights(list)
	for i, d := range list {
		targets = append(targets, target{provider: d.provider.id, model: d.model, weight: weights[i]})
	}
	return strategy, targets
}

// most is the greatest weight that is written: theirs may be tokens by the minute.
const most = 1000

// weights are the shares of deployments as small whole numbers, all 0 if they are alike.
func (c *conversion) weights(list []*deployment) []int {
	weights := make([]int, len(list))
	for _, name := range []string{"weight", "rpm", "tpm"} {
		if !slices.ContainsFunc(list, func(d *deployment) bool { return d.shares[name] > 0 }) {
			continue
		}
		least, greatest := math.Inf(1), 0.0
		for _, d := range list {
			share, set := d.shares[name]
			if !set || share == 0 {
				c.addf(d.path, "has no %s beside others that have one: it is asked least", name)
				continue
			}
			least, greatest = min(least, share), max(greatest, share)
		}
		if least == greatest && !slices.ContainsFunc(list, func(d *deployment) bool { return d.shares[name] == 0 }) {
			return weights
		}
		scale := 1.0
		switch {
		case greatest > most:
			scale = most / greatest
		case least != math.Trunc(least) || greatest != math.Trunc(greatest):
			scale = min(100, most/greatest)
		}
		for i, d := range list {
			weights[i] = max(int(math.Round(d.shares[name]*scale)), 1)
		}
		return reduced(weights)
	}
	return weights
}

func reduced(weights []int) []int {
	divisor := 0
	for _, w := range weights {
		for a := w; a != 0; {
			divisor, a = a, divisor%a
		}
	}
	for i := range weights {
		weights[i] /= max(divisor, 1)
	}
	return weights
}
