/** Zones in the phrase. */
export const zones = `
@ 2025-06-18T16:25:40+02:00[Europe/Berlin]
14:00-15:00 CET                          => 2025-06-18 15:00 .. 2025-06-18 16:00 in +01:00
11:00-12:00 UTC                          => 2025-06-18 13:00 .. 2025-06-18 14:00 in UTC
14:00Z to 14:20Z                         => 2025-06-18 16:00 .. 2025-06-18 16:20 in UTC
9:00 GMT - 10:00 GMT                     => 2025-06-18 11:00 .. 2025-06-18 12:00 in UTC
14:00 to 15:00 in Europe/Berlin          => 2025-06-18 14:00 .. 2025-06-18 15:00
14:00 to 15:00 europe/berlin             => 2025-06-18 14:00 .. 2025-06-18 15:00
2pm-3pm PST yesterday                    => 2025-06-18 .. 2025-06-18 01:00 in -08:00
9am to 10am ET                           => 2025-06-18 15:00 .. 2025-06-18 16:00 in America/New_York
10:00-11:00 UTC+2                        => 2025-06-18 10:00 .. 2025-06-18 11:00 in +02:00
10:00 to 11:00 +05:30                    => 2025-06-18 06:30 .. 2025-06-18 07:30 in +05:30
10:00 to 11:00 GMT-03:00                 => 2025-06-18 15:00 .. 2025-06-18 16:00 in -03:00
yesterday in Tokyo                       => 2025-06-16 17:00 .. 2025-06-17 17:00 in Asia/Tokyo
yesterday in new york                    => 2025-06-17 06:00 .. 2025-06-18 06:00 in America/New_York
yesterday UTC                            => 2025-06-17 02:00 .. 2025-06-18 02:00 in UTC
today Kolkata time                       => 2025-06-17 20:30 .. now in Asia/Kolkata
last month (UTC)                         => 2025-05-01 02:00 .. 2025-06-01 02:00 in UTC
since 9am UTC                            => 2025-06-18 11:00 .. now in UTC
last week in America/St_Johns            => 2025-06-09 04:30 .. 2025-06-16 04:30 in America/St_Johns
june 5 in Australia/Lord_Howe            => 2025-06-04 15:30 .. 2025-06-05 15:30 in Australia/Lord_Howe
around 12:00 UTC                         => 2025-06-18 13:30 .. 2025-06-18 14:30 in UTC
9am to 10am eastern                      => 2025-06-18 15:00 .. 2025-06-18 16:00 in America/New_York
9am to 10am pacific time                 => 2025-06-17 18:00 .. 2025-06-17 19:00 in America/Los_Angeles
`;
