package combo

// StrategyNames lists the strategies in the order of the documentation.
func StrategyNames() []string {
	return []string{
		"priority", "round_robin", "weighted", "random", "least_busy", "p2c", "cheapest", "fastest", "sticky",
		"last_good", "auto",
	}
}
