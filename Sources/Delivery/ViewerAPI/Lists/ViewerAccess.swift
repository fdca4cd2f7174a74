/// Who may watch: every viewer.
///
/// The one place that says what a viewer's password opens, and what password a list names.
struct ViewerAccess: Sendable {
    /// What the paths of a viewer with a password begin with; nil if the password opens nothing.
    func prefix(password: String) -> String? { "" }

    /// The password that lists name, for apps that ask for one.
    func password(prefix: String) -> String { "open" }
}
