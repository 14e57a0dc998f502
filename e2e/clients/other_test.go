package clients

// otherModels are the models of the other endpoints, with the provider of each.
var otherModels = map[string]string{}
