/// An SQL statement whose values can only be bound: `"SELECT * FROM channel WHERE slug = \(slug)"`.
///
/// Each interpolated value becomes `$1`, `$2` …; SQL text is inserted only by `\(verbatim:)`, which takes
/// static members, table names by `\(identifier:)`, numbers that cannot be bound by `\(number:)`. A `String`
/// is bound as `text`: write `\(id)::uuid`, `\(settings)::jsonb` for other types.
package struct Statement: Sendable {
    /// The text with `$n` in place of the values.
    package private(set) var sql: String
    private(set) var parameters = Parameters()

    /// Creates a statement without values from text as it is.
    package init(verbatim sql: String) {
        self.sql = sql
    }
}

extension Statement: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) {
        self.init(verbatim: value)
    }

    package init(stringInterpolation: StringInterpolation) {
        sql = stringInterpolation.sql
        parameters = stringInterpolation.parameters
    }

    /// Collects the text and the values of a statement.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = ""
        fileprivate var parameters = Parameters()

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserveCapacity(literalCapacity + 4 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            sql += literal
        }

        /// Binds a value.
        package mutating func appendInterpolation(_ value: some PostgresEncodable) {
            parameters.append(value)
            sql += "$\(parameters.count)"
        }

        /// Binds a value or NULL.
        package mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) {
            parameters.append(value)
            sql += "$\(parameters.count)"
        }

        /// Inserts SQL text, which must be a static member: never text that is composed at run time.
        package mutating func appendInterpolation(verbatim text: String) {
            sql += text
        }

        /// Inserts a number, for statements that take no bound values, such as CREATE TABLE, and for numbers
        /// that the planner must know.
        ///
        /// Each number makes a text of its own, which is planned again.
        package mutating func appendInterpolation(number: Int64) {
            sql += String(number)
        }

        /// Inserts the quoted name of a table, column or channel.
        package mutating func appendInterpolation(identifier name: String) {
            sql += quoted(identifier: name)
        }
    }
}

/// Quotes a name as SQL does (PostgreSQL 4.1.1): quotation marks around it, doubled within.
func quoted(identifier name: String) -> String {
    var result = "\""
    for character in name.unicodeScalars {
        result.unicodeScalars.append(character)
        if character == "\"" { result.unicodeScalars.append(character) }
    }
    return result + "\""
}
