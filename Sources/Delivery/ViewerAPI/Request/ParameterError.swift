/// A parameter that cannot be taken as it is.
struct ParameterError: Error, Equatable {
    /// The parameter's name.
    var parameter: String
    /// What is wrong with it, in words.
    var reason: String

    init(_ parameter: String, _ reason: String) {
        self.parameter = parameter
        self.reason = reason
    }
}
