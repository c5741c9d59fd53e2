-- The books of Hollin & Wake, an invented outfitter for slow walks. Prices are in cents, days are ISO dates.

CREATE TABLE products (sku TEXT PRIMARY KEY, name TEXT NOT NULL, colour TEXT NOT NULL, cents INTEGER NOT NULL);
INSERT INTO products VALUES
  ('FL-BRA', 'Firefly lantern', 'brass', 4900),
  ('FL-BLA', 'Firefly lantern', 'black', 4900),
  ('FM-BRA', 'Firefly Mini lantern', 'brass', 2900),
  ('FM-BLA', 'Firefly Mini lantern', 'black', 2900),
  ('MB-GRE', 'Moss blanket', 'green', 7900),
  ('MB-BLU', 'Moss blanket', 'blue', 7900),
  ('MB-RUS', 'Moss blanket', 'rust', 8400),
  ('H2-GRE', 'Heron rucksack', 'grey', 9500),
  ('H2-BLU', 'Heron rucksack', 'blue', 9500),
  ('EF-STE', 'Ember flask', 'steel', 2450),
  ('EF-RED', 'Ember flask', 'red', 2650),
  ('TM-WHI', 'Tarn mug', 'white', 1200),
  ('TM-BLU', 'Tarn mug', 'blue', 1200),
  ('DH-SAN', 'Drift hammock', 'sand', 6400),
  ('LS-NAT', 'Larch walking stick', 'natural', 3800);

CREATE TABLE stock (sku TEXT PRIMARY KEY REFERENCES products, on_hand INTEGER NOT NULL, more_on TEXT);
INSERT INTO stock VALUES
  ('FL-BRA', 14, NULL), ('FL-BLA', 0, '2026-04-13'), ('FM-BRA', 31, NULL), ('FM-BLA', 6, NULL),
  ('MB-GRE', 22, NULL), ('MB-BLU', 3, NULL), ('MB-RUS', 0, '2026-04-27'),
  ('H2-GRE', 9, NULL), ('H2-BLU', 0, NULL),
  ('EF-STE', 40, NULL), ('EF-RED', 17, NULL), ('TM-WHI', 55, NULL), ('TM-BLU', 12, NULL),
  ('DH-SAN', 5, NULL), ('LS-NAT', 8, NULL);

CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT NOT NULL, club INTEGER NOT NULL);
INSERT INTO customers VALUES
  (1, 'Ines Oduya', 'Skerrow', 1), (2, 'Tobias Lindqvist', 'Aldermoor', 0), (3, 'Mairead Flynn', 'Skerrow', 1),
  (4, 'Jun Watanabe', 'Port Ellish', 0), (5, 'Zofia Wrońska', 'Aldermoor', 1), (6, 'Pál Kerekes', 'Low Fenwick', 0),
  (7, 'Adaeze Bright', 'Port Ellish', 0), (8, 'Henrik Sørby', 'Skerrow', 1);

CREATE TABLE orders (
  number TEXT PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customers, state TEXT NOT NULL,
  placed TEXT NOT NULL, due TEXT, carrier TEXT
);
INSERT INTO orders VALUES
  ('HW-1031', 1, 'delivered', '2026-01-08', '2026-01-12', 'Fellside Post'),
  ('HW-1032', 2, 'delivered', '2026-01-15', '2026-01-20', 'Fellside Post'),
  ('HW-1033', 3, 'returned',  '2026-01-22', '2026-01-26', 'Tern Express'),
  ('HW-1034', 4, 'delivered', '2026-02-03', '2026-02-06', 'Fellside Post'),
  ('HW-1035', 5, 'delivered', '2026-02-11', '2026-02-16', 'Fellside Post'),
  ('HW-1036', 6, 'cancelled', '2026-02-14', NULL, NULL),
  ('HW-1037', 7, 'delivered', '2026-02-20', '2026-02-24', 'Tern Express'),
  ('HW-1038', 8, 'delivered', '2026-03-02', '2026-03-05', 'Fellside Post'),
  ('HW-1039', 1, 'delivered', '2026-03-09', '2026-03-13', 'Fellside Post'),
  ('HW-1040', 5, 'shipped',   '2026-03-23', '2026-03-27', 'Tern Express'),
  ('HW-1041', 3, 'packed',    '2026-03-24', '2026-03-30', 'Fellside Post'),
  ('HW-1042', 2, 'shipped',   '2026-03-24', '2026-03-31', 'Fellside Post'),
  ('HW-1043', 8, 'placed',    '2026-03-25', '2026-04-01', NULL);

CREATE TABLE order_lines (
  number TEXT NOT NULL REFERENCES orders, sku TEXT NOT NULL REFERENCES products, quantity INTEGER NOT NULL
);
INSERT INTO order_lines VALUES
  ('HW-1031', 'MB-GRE', 2), ('HW-1031', 'TM-WHI', 4),
  ('HW-1032', 'FL-BRA', 1),
  ('HW-1033', 'H2-GRE', 1),
  ('HW-1034', 'EF-STE', 3), ('HW-1034', 'TM-BLU', 2),
  ('HW-1035', 'FM-BRA', 2), ('HW-1035', 'MB-BLU', 1),
  ('HW-1036', 'DH-SAN', 1),
  ('HW-1037', 'LS-NAT', 2), ('HW-1037', 'EF-RED', 1),
  ('HW-1038', 'FL-BRA', 3), ('HW-1038', 'FM-BLA', 1),
  ('HW-1039', 'TM-WHI', 6),
  ('HW-1040', 'H2-GRE', 1), ('HW-1040', 'EF-STE', 2),
  ('HW-1041', 'MB-GRE', 1),
  ('HW-1042', 'FL-BRA', 2), ('HW-1042', 'MB-BLU', 1),
  ('HW-1043', 'DH-SAN', 1), ('HW-1043', 'LS-NAT', 1);

CREATE TABLE tickets (id INTEGER PRIMARY KEY, subject TEXT NOT NULL, order_number TEXT REFERENCES orders, state TEXT NOT NULL);
INSERT INTO tickets VALUES
  (201, 'Lantern flickers in the wind', 'HW-1032', 'closed'),
  (202, 'Rucksack strap came loose', 'HW-1033', 'closed'),
  (203, 'Mug arrived chipped', 'HW-1034', 'open'),
  (204, 'Invoice shows the old address', 'HW-1038', 'open');
