CREATE TABLE schema_version (
    program TEXT NOT NULL,
    version INTEGER NOT NULL
)

CREATE TABLE audit (
    seq {counted},
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    address TEXT
)

CREATE TABLE campaign (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    mode TEXT NOT NULL,
    created TEXT NOT NULL,
    facts TEXT NOT NULL,
    suite_header TEXT NOT NULL,
    suite_items TEXT NOT NULL,
    suite_digest TEXT NOT NULL,
    sampling_plan TEXT,
    categories TEXT NOT NULL,
    PRIMARY KEY (id)
)

CREATE TABLE documents (
    id TEXT NOT NULL,
    first INTEGER NOT NULL,
    segments INTEGER NOT NULL,
    PRIMARY KEY (id)
)

CREATE TABLE people (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    created TEXT NOT NULL,
    password TEXT,
    PRIMARY KEY (id),
    CONSTRAINT people_role CHECK (role IN ('annotator', 'lead')),
    UNIQUE (name)
)

CREATE TABLE systems (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    place INTEGER NOT NULL,
    digest TEXT NOT NULL,
    attention BOOLEAN NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (name)
)

CREATE TABLE texts (
    side TEXT NOT NULL,
    name TEXT NOT NULL,
    segment INTEGER NOT NULL,
    line TEXT NOT NULL,
    tokens TEXT NOT NULL,
    links TEXT,
    PRIMARY KEY (side, name, segment)
)

CREATE TABLE items (
    id TEXT NOT NULL,
    suite_item TEXT NOT NULL,
    pronoun_key TEXT NOT NULL,
    document TEXT NOT NULL,
    category TEXT NOT NULL,
    antecedent BOOLEAN NOT NULL,
    place INTEGER NOT NULL,
    marks TEXT NOT NULL,
    reference_words TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY (document) REFERENCES documents (id)
)

CREATE TABLE links (
    id TEXT NOT NULL,
    person TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    revoked TEXT,
    used TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (person) REFERENCES people (id),
    UNIQUE (token_hash)
)

CREATE TABLE sessions (
    token_hash TEXT NOT NULL,
    person TEXT NOT NULL,
    link TEXT,
    csrf TEXT NOT NULL,
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    closed TEXT,
    PRIMARY KEY (token_hash),
    FOREIGN KEY (person) REFERENCES people (id),
    FOREIGN KEY (link) REFERENCES links (id)
)

CREATE TABLE units (
    id TEXT NOT NULL,
    item TEXT NOT NULL,
    category TEXT NOT NULL,
    targets TEXT NOT NULL,
    expected TEXT,
    PRIMARY KEY (id),
    FOREIGN KEY (item) REFERENCES items (id)
)

CREATE INDEX units_item ON units (item)

CREATE TABLE assignments (
    id TEXT NOT NULL,
    unit TEXT NOT NULL,
    person TEXT NOT NULL,
    batch INTEGER NOT NULL,
    place INTEGER NOT NULL,
    shown TEXT NOT NULL,
    overlap BOOLEAN NOT NULL,
    category TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT assignments_once UNIQUE (person, unit),
    CONSTRAINT assignments_place UNIQUE (person, place),
    CONSTRAINT assignments_status CHECK (status IN ('new', 'done', 'conflict')),
    FOREIGN KEY (unit) REFERENCES units (id),
    FOREIGN KEY (person) REFERENCES people (id)
)

CREATE INDEX assignments_unit ON assignments (unit)

CREATE INDEX assignments_progress ON assignments (person, status, place)

CREATE TABLE decisions (
    id TEXT NOT NULL,
    unit TEXT NOT NULL,
    person TEXT NOT NULL,
    version INTEGER NOT NULL,
    request TEXT NOT NULL,
    content TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT decisions_once UNIQUE (unit, version),
    CONSTRAINT decisions_request UNIQUE (person, request),
    FOREIGN KEY (unit) REFERENCES units (id),
    FOREIGN KEY (person) REFERENCES people (id)
)

CREATE TABLE answers (
    id TEXT NOT NULL,
    assignment TEXT NOT NULL,
    version INTEGER NOT NULL,
    content TEXT NOT NULL,
    saved TEXT NOT NULL,
    seconds FLOAT,
    PRIMARY KEY (id),
    CONSTRAINT answers_version CHECK (version >= 1),
    UNIQUE (assignment),
    FOREIGN KEY (assignment) REFERENCES assignments (id)
)

CREATE TABLE journal (
    seq {counted},
    id TEXT NOT NULL,
    assignment TEXT NOT NULL,
    person TEXT NOT NULL,
    request TEXT NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    content_before TEXT,
    content_after TEXT NOT NULL,
    seconds FLOAT,
    CONSTRAINT journal_once UNIQUE (assignment, version),
    CONSTRAINT journal_request UNIQUE (person, request),
    UNIQUE (id),
    FOREIGN KEY (assignment) REFERENCES assignments (id),
    FOREIGN KEY (person) REFERENCES people (id)
)

CREATE TABLE own_tags (
    person TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (person, tag),
    FOREIGN KEY (person) REFERENCES people (id)
)
