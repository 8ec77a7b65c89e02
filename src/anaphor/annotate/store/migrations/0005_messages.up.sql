CREATE TABLE messages (
    seq {counted},
    id TEXT NOT NULL,
    assignment TEXT NOT NULL,
    person TEXT NOT NULL,
    request TEXT NOT NULL,
    at TEXT NOT NULL,
    content TEXT NOT NULL,
    CONSTRAINT messages_request UNIQUE (person, request),
    UNIQUE (id),
    FOREIGN KEY (assignment) REFERENCES assignments (id),
    FOREIGN KEY (person) REFERENCES people (id)
)

CREATE INDEX messages_assignment ON messages (assignment)
