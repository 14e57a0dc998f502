package main

import (
	"fmt"
	"strings"
)

// welcome says where the gateway is, how to get in, and what to try first.
func (g *gateway) welcome() {
	var b strings.Builder
	url := "http://" + reachable(g.listeners.Client.Addr().String())
	fmt.Fprintf(&b, "ohmroute %s is listening on %s\n", versionName(), url)
	if g.listeners.Admin != nil {
		fmt.Fprintf(&b, "  admin side:  http://%s\n", reachable(g.listeners.Admin.Addr().String()))
	}
	switch {
	case g.secrets.Created || g.secrets.InMemory:
		fmt.Fprintf(&b, "  admin token: %s\n", g.secrets.AdminToken)
		if g.secrets.TokenPath != "" {
			fmt.Fprintf(&b, "               (shown this once; it stands in %s)\n", g.secrets.TokenPath)
		} else {
			b.WriteString("               (the data directory can't be written: it is another one at each start)\n")
		}
	case g.secrets.TokenPath != "":
		fmt.Fprintf(&b, "  admin token: in %s\n", g.secrets.TokenPath)
	default:
		b.WriteString("  admin token: from OHMROUTE_ADMIN_TOKEN\n")
	}
	if name := g.firstModel(); name != "" {
		fmt.Fprintf(&b, "  try it:      curl -N %s/v1/chat/completions -H 'Content-Type: application/json'%s \\\n"+
			"                 -d '{\"model\":\"%s\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hello!\"}]}'\n",
			url, g.credential(), name)
	}
	fmt.Fprint(g.world.out, b.String())
}

// firstModel is a combo to try.
func (g *gateway) firstModel() string {
	combos := g.live.Combos()
	if len(combos) == 0 || strings.ContainsAny(combos[0].Name, `'"\`) {
		return ""
	}
	return combos[0].Name
}

func (g *gateway) credential() string {
	if g.live.KeysEverExisted() {
		return " -H 'Authorization: Bearer CLIENT_KEY'"
	}
	return ""
}

// reachable replaces the address of all interfaces by one that can be asked.
func reachable(address string) string {
	for _, all := range []string{"[::]:", "0.0.0.0:"} {
		if port, ok := strings.CutPrefix(address, all); ok {
			return "127.0.0.1:" + port
		}
	}
	return address
}
