/// The bounds of this module.
enum Limits {
    /// Hours whose bytes are deleted in one round.
    static let hoursPerRound = 500
    /// Hours of bytes that one step under disk pressure takes before their grace is over.
    static let hoursExpedited = 10
    /// Seconds until an hour is tried again whose bytes could not be deleted.
    static let postponedSeconds = 600
    /// Initialization sections and keys that are deleted in one round.
    static let objectsPerRound = 500
    /// Steps of a quarter of an hour that one round under disk pressure takes.
    static let stepsUnderPressure = 200
    /// Seconds between two rounds of forgetting.
    static let roundSeconds = 30
    /// Seconds between two looks at the free space.
    static let pressureSeconds = 5
}
