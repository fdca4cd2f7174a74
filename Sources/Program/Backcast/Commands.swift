import ArgumentParser

/// Records and serves in one process.
struct RunCommand: RoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Recorder and HTTP server in one process")
    static let role = Role.run

    @OptionGroup var flags: SettingFlags
}

/// Records only.
struct RecordCommand: RoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "The recorder alone, with the admin API")
    static let role = Role.record

    @OptionGroup var flags: SettingFlags
}

/// Serves only.
struct ServeCommand: RoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "The HTTP server alone; any number may run beside each other")
    static let role = Role.serve

    @OptionGroup var flags: SettingFlags
}

/// Brings the schema up to date.
struct MigrateCommand: RoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Applies the migrations to the database and exits")
    static let role = Role.migrate

    @OptionGroup var flags: SettingFlags
}
